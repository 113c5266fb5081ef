"""The rules of the database about erased people: their accounts stay as they are, without roles."""

from __future__ import annotations

from accounts.rules import MEMBERSHIP
from database.triggers import reject, reject_each

USER = "accounts_user"
IS_ERASED = f"EXISTS (SELECT 1 FROM {USER} u WHERE u.id = NEW.user_id AND u.erased_at IS NOT NULL)"

RULES = [
    # The constraint `user_erased_has_no_name_and_no_login` says what the row has.
    reject(
        "user_erased_never_changed",
        table=USER,
        event="UPDATE",
        when="OLD.erased_at IS NOT NULL",
    ),
    *reject_each(
        "membership_of_an_erased_person",
        table=MEMBERSHIP,
        when=IS_ERASED,
        events={"INSERT": "", "UPDATE": "user_id"},
    ),
]
