"""Rules about proposed grades. A migration of their own makes them, because of its columns."""

from __future__ import annotations

from database.triggers import reject

LOT = ("proposal_steps", "proposal_block")
NO_SLOT_TO_PROPOSE_IN = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN annotation_opening o ON o.query_id = p.query_id "
    "WHERE s.id = NEW.slot_id AND s.judgment_id IS NULL AND o.proposal_steps IS NOT NULL)"
)
NO_REPEAT_TO_PROPOSE_IN = (
    "NOT EXISTS (SELECT 1 FROM annotation_repeat r "
    "JOIN annotation_opening o ON o.query_id = r.query_id "
    "WHERE r.id = NEW.repeat_id AND r.judgment_id IS NULL AND o.proposal_steps IS NOT NULL)"
)
PROPOSALS = [
    reject(
        "opening_keeps_its_lot",
        table="annotation_opening",
        event="UPDATE",
        columns=", ".join(LOT),
        when=" OR ".join(f"COALESCE(NEW.{name}, 0) <> COALESCE(OLD.{name}, 0)" for name in LOT),
    ),
    # The judge had not judged the pair before, so the own grade was given without the proposal.
    *(
        reject(
            name,
            table=table,
            event="INSERT",
            when=f"NEW.proposed_grade IS NOT NULL AND {condition}",
        )
        for name, table, condition in (
            ("proposal_to_a_first_judgment", "annotation_judgment", NO_SLOT_TO_PROPOSE_IN),
            (
                "proposal_to_a_first_judgment_of_a_repeat",
                "annotation_repeatjudgment",
                NO_REPEAT_TO_PROPOSE_IN,
            ),
        )
    ),
]
