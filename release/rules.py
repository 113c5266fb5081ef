"""The rules of the database about releases, and the rows that make the checks of the gate quick.

A release never changes. A public period and an erratum change once, when they end. Labels that
everybody could read in a public version stay, also when the version is private again: a later
judgment or decision could follow them.
"""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from annotation.rules.counts import BOTH_JUDGMENTS, QUERY_OF, change, count_shown
from database.triggers import keep, partial_index, reject

RELEASE, EXCEPTION = "release_release", "release_releaseexception"
PERIOD, ERRATUM = "release_publicperiod", "release_erratum"
COLLECTION_OF_RELEASE = (
    "(SELECT r.collection_id FROM release_release r WHERE r.id = OLD.release_id)"
)
RELEASES = [
    *kept_rows(RELEASE, table=RELEASE, collection="OLD.collection_id"),
    *kept_rows("release_exception", table=EXCEPTION, collection=COLLECTION_OF_RELEASE),
    reject(
        "public_period_keeps_its_beginning",
        table=PERIOD,
        event="UPDATE",
        columns="release_id, page, began_at, began_by_id",
    ),
    reject(
        "public_period_ends_once", table=PERIOD, event="UPDATE", when="OLD.ended_at IS NOT NULL"
    ),
    reject(
        "public_period_never_deleted",
        table=PERIOD,
        event="DELETE",
        when=not_being_deleted(COLLECTION_OF_RELEASE),
    ),
    reject(
        "erratum_never_deleted",
        table=ERRATUM,
        event="DELETE",
        when=not_being_deleted(COLLECTION_OF_RELEASE),
    ),
]

ERRATUM_RULES = [
    reject(
        "erratum_keeps_its_report",
        table=ERRATUM,
        event="UPDATE",
        columns="release_id, number, query, docno, problem, reported_at, reported_by_id",
    ),
    # Personal data: they go when a person is erased, also from a report that is answered.
    reject(
        "erratum_sender_only_emptied",
        table=ERRATUM,
        event="UPDATE",
        columns="email, network",
        when="(NEW.email <> OLD.email AND NEW.email <> '') "
        "OR (NEW.network <> OLD.network AND NEW.network <> '')",
    ),
    reject(
        "erratum_settled_once",
        table=ERRATUM,
        event="UPDATE",
        columns="state, answer, settled_at, settled_by_id",
        when="OLD.state <> 'open'",
    ),
]

# The first judgment is in the version. The one that the slot shows is from before it was public: a
# pair that was opened for two judges again shows none, or a newer one.
WAS_PUBLIC = (
    "EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_judgment j ON j.slot_id = s.id AND j.sequence = 1 "
    "JOIN annotation_judgment shown ON shown.id = s.judgment_id "
    "JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN release_release r ON r.collection_id = q.collection_id "
    "AND r.published_at > j.created_at "
    "JOIN release_publicperiod t ON t.release_id = r.id AND t.began_at > shown.created_at "
    "WHERE {slot})"
)
JUDGMENT_WAS_PUBLIC = f"NEW.sequence > 1 AND {WAS_PUBLIC.format(slot='s.id = NEW.slot_id')}"
# A pair that is settled again has other judgments or another count of referrals, so its next
# decision is a first one.
DECISION_WAS_PUBLIC = (
    "NEW.sequence > 1 AND EXISTS (SELECT 1 FROM adjudication_decision d "
    "JOIN annotation_pair p ON p.id = d.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN release_release r ON r.collection_id = q.collection_id "
    "AND r.published_at > d.created_at "
    "JOIN release_publicperiod t ON t.release_id = r.id "
    "WHERE d.pair_id = NEW.pair_id AND d.referral_count = NEW.referral_count "
    "AND d.first_id = NEW.first_id AND d.second_id = NEW.second_id)"
)
PUBLIC_LABELS = [
    reject(
        "judgment_before_public_version_stays",
        table="annotation_judgment",
        event="INSERT",
        when=JUDGMENT_WAS_PUBLIC,
    ),
    reject(
        "decision_of_public_version_stays",
        table="adjudication_decision",
        event="INSERT",
        when=DECISION_WAS_PUBLIC,
    ),
    # Its judges could not change their judgments.
    reject(
        "question_before_public_version",
        table="annotation_pairquestion",
        event="INSERT",
        when=WAS_PUBLIC.format(slot="s.pair_id = NEW.pair_id"),
    ),
]

# Whatever str.split() splits at, because `formats.is_writable` does.
WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
HAS_WHITE_SPACE = {
    "sqlite": f"{{column}} GLOB '*[{WHITE_SPACE}]*'",
    "postgresql": f"{{column}} ~ '[{WHITE_SPACE}]'",
}
# Candidates to judge of the pool of the opened query, whose text is in that pool more than once.
MARK_DUPLICATES = (
    "INSERT INTO release_duplicatecandidate (candidate_id) "
    "SELECT DISTINCT f.id FROM ("
    "SELECT c.id, COUNT(*) OVER (PARTITION BY q.id, d.digest) AS copies FROM corpus_query q "
    "JOIN pooling_pool p ON p.query_paper_id = q.query_paper_id "
    "JOIN pooling_candidate c ON c.pool_id = p.id AND c.excluded = '' "
    "JOIN corpus_document d ON d.id = c.document_id WHERE q.id = NEW.query_id) f "
    "WHERE f.copies > 1 "
    "AND NOT EXISTS (SELECT 1 FROM release_duplicatecandidate x WHERE x.candidate_id = f.id)"
)
MARKS = [
    keep(
        "mark_pair_without_source",
        table="annotation_pair",
        event="INSERT",
        statements=[
            "INSERT INTO release_unsourcedpair (pair_id) SELECT NEW.id WHERE NOT EXISTS "
            "(SELECT 1 FROM pooling_contribution c WHERE c.candidate_id = NEW.candidate_id)"
        ],
    ),
    keep(
        "mark_duplicate_candidates",
        table="annotation_opening",
        event="INSERT",
        statements=[MARK_DUPLICATES],
    ),
    partial_index(
        "release_docno_with_white_space",
        table="corpus_document",
        columns="collection_id, docno",
        where=HAS_WHITE_SPACE["sqlite"].format(column="docno"),
        on_postgresql=HAS_WHITE_SPACE["postgresql"].format(column="docno"),
    ),
]

# The slot's judgment and that in the other slot give the same, relevant grade, and the pair was
# never sent to the adjudicator. Each value is looked up by its key: with joins, PostgreSQL read
# whole tables while they had no statistics.
GRADE = "(SELECT this.grade FROM annotation_judgment this WHERE this.id = {row}.judgment_id)"
RELEVANT = (
    f"{GRADE} = (SELECT other.grade FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number) "
    f"AND {GRADE} >= (SELECT c.relevant_from FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE p.id = {row}.pair_id AND p.referral_count = 0)"
)
# The same for a row of the pair.
RELEVANT_PAIR = (
    f"CASE WHEN {{row}}.referral_count = 0 AND EXISTS (SELECT 1 {BOTH_JUDGMENTS} "
    "AND one.grade = two.grade AND one.grade >= "
    "(SELECT c.relevant_from FROM corpus_query q "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE q.id = {row}.query_id)) "
    "THEN 1 ELSE 0 END"
)
# PostgreSQL runs them after `count_2_pair_judged` and `count_2_pair_referred`, which lock the
# counts of the query.
RELEVANT_COUNTS = [
    count_shown(
        "count_4_relevant_pair",
        "NEW",
        "INSERT INTO release_relevantcount (query_id, agreed) "
        f"SELECT {QUERY_OF}, 1 WHERE {RELEVANT} ON CONFLICT (query_id) DO UPDATE SET "
        "agreed = release_relevantcount.agreed + 1",
    ),
    count_shown(
        "count_4_relevant_pair_no_longer",
        "OLD",
        "UPDATE release_relevantcount SET agreed = agreed - 1 "
        f"WHERE query_id = {QUERY_OF} AND {RELEVANT}",
    ),
    keep(
        "count_4_pair_referred",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            "INSERT INTO release_relevantcount (query_id, agreed) "
            f"SELECT NEW.query_id, changed.by FROM (SELECT {change(RELEVANT_PAIR)} AS by) changed "
            "WHERE changed.by <> 0 ON CONFLICT (query_id) DO UPDATE SET "
            "agreed = release_relevantcount.agreed + excluded.agreed"
        ],
    ),
]

# A sample stays as it was drawn, or its inclusion probabilities would be wrong.
SAMPLE, STRATUM = "release_labelsample", "release_labelstratum"
SAMPLED_LABEL = "release_sampledlabel"
OF_ANOTHER_SAMPLE = (
    "NEW.{row} IN (SELECT r.id FROM {tables} WHERE {collection} <> "
    "(SELECT t.sample_id FROM release_labelstratum t WHERE t.id = NEW.stratum_id))"
)
LABEL_SAMPLES = [
    # All but `origin` and `created_by`, which become NULL with their rows.
    reject(
        "label_sample_stays_as_drawn",
        table=SAMPLE,
        event="UPDATE",
        columns="collection_id, facet, seed, created_at",
    ),
    reject("label_stratum_never_edited", table=STRATUM, event="UPDATE"),
    reject("sampled_label_never_edited", table=SAMPLED_LABEL, event="UPDATE"),
    reject(
        "sampled_label_of_its_collection",
        table=SAMPLED_LABEL,
        event="INSERT",
        when=OF_ANOTHER_SAMPLE.format(
            row="query_id", tables="corpus_query r", collection="r.collection_id"
        )
        + " OR "
        + OF_ANOTHER_SAMPLE.format(
            row="candidate_id",
            tables="pooling_candidate r JOIN pooling_pool p ON p.id = r.pool_id "
            "JOIN corpus_querypaper q ON q.id = p.query_paper_id",
            collection="q.collection_id",
        ),
    ),
]

RULES = [*RELEASES, *PUBLIC_LABELS, *MARKS, *RELEVANT_COUNTS]
