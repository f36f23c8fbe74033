"""The tree of faults: everything that can go wrong, by what the caller should do about it.

```text
ToulminError
├── InputError      the caller's input is wrong: mend it and try again      (exit code 2, HTTP 422)
│   └── NotFound    the thing named does not exist, or the caller may not see it (exit code 2, HTTP 404)
├── Unauthenticated nobody knows who the caller is: present a valid credential (HTTP 401)
├── Refused         the state of a thing does not allow it                  (exit code 7, HTTP 409)
│   └── Forbidden   the caller's role does not allow it                     (exit code 7, HTTP 403)
├── Overloaded      too much is under way: try again after a while          (exit code 1, HTTP 503, or 429 where it is the caller's doing; retryable)
├── Conflict        somebody else is writing: try again later               (exit code 1, HTTP 409, retryable)
├── Overdue         the request took longer than it may                     (exit code 1, HTTP 504, retryable)
└── StoreFault      the store or index cannot do its work: the operator mends it (exit code 1, HTTP 503)
```

Abstaining is not a fault: a question without an answer ends in an `Outcome`.
"""

from __future__ import annotations


class ToulminError(Exception):
    """A fault with a stable code, the place it was found at, and what to do about it.

    `code` is part of the public interface (`toulmin.error/1`); `message` names the thing, `where` the file, line or key path
    (`contracts/gateway.yaml:12: facts.hold.clause`), `remedy` the next step. None of them ever holds document text.
    """

    retryable = False

    def __init__(self, code: str, message: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        step = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.message}{step}"

    def at(self, where: str) -> ToulminError:
        """The same fault, found at `where` (the outermost place comes first)."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.code, self.message, where=place, remedy=self.remedy)


class InputError(ToulminError):
    """The caller's input is wrong; nothing was changed."""


class NotFound(InputError):
    """The thing named does not exist, or the caller may not see it: the two are told alike on purpose."""


class Unauthenticated(ToulminError):
    """Nobody knows who the caller is; nothing was looked at. Its message never says which part of a credential was wrong."""


class Refused(ToulminError):
    """The state of a thing, or the caller's role, does not allow it; nothing was changed."""


class Forbidden(Refused):
    """The caller's role does not allow it, whatever the thing's state; nothing was changed."""


class Overloaded(ToulminError):
    """Too much is under way; nothing was done. `retry_after_s` says when to try again, `own` that it is the caller's own requests that are too many."""

    retryable = True

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retry_after_s: float,
        own: bool = False,
        where: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(code, message, where=where, remedy=remedy)
        self.retry_after_s = retry_after_s
        self.own = own

    def at(self, where: str) -> Overloaded:
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(
            self.code, self.message, retry_after_s=self.retry_after_s, own=self.own, where=place, remedy=self.remedy
        )


class Conflict(ToulminError):
    """Somebody else is writing the same thing; nothing was changed."""

    retryable = True


class Overdue(ToulminError):
    """The caller's request took longer than it may; nothing was recorded."""

    retryable = True


class StoreFault(ToulminError):
    """The store or index cannot do its work; what was committed before is safe."""
