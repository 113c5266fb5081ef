"""The rules of the database about mails: one process sends a mail, and it is sent once."""

from __future__ import annotations

from database.triggers import reject

MAIL = "notices_noticemail"
RULES = [
    reject(
        "notice_mail_ends_once",
        table=MAIL,
        event="UPDATE",
        when="OLD.state IN ('nothing', 'sent', 'dropped')",
    ),
    # Two workers may see the same waiting mail. The second finds it claimed.
    reject(
        "notice_mail_claimed_once",
        table=MAIL,
        event="UPDATE",
        when="NEW.state = 'sending' AND OLD.state <> 'waiting'",
    ),
    reject(
        "notice_mail_sent_after_its_claim",
        table=MAIL,
        event="UPDATE",
        when="NEW.state = 'sent' AND OLD.state <> 'sending'",
    ),
    reject(
        "notice_mail_keeps_person_and_period",
        table=MAIL,
        event="UPDATE",
        columns="user_id, day, period",
        when="NEW.user_id <> OLD.user_id OR NEW.day <> OLD.day OR NEW.period <> OLD.period",
    ),
]
