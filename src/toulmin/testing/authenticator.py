"""The contract of an authenticator: a test suite that every `Authenticator` passes.

```python
class TestMyAuthenticator(AuthenticatorContract):
    @pytest.fixture
    def authenticator(self) -> Authenticator:
        return MyAuthenticator()

    @pytest.fixture
    def known(self) -> Mapping[str, Principal]:
        return {"credential": Principal(id="ada", tenant="acme", roles=("reader",))}

    @pytest.fixture
    def inactive(self) -> str:
        return "credential of somebody who has left"
```
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Authenticator, Denied, Reason

_STRANGE = ("", " ", ".", "..", "a.b.c", "tlm_", "tlm_x_y", "=", "%00", "\x00", "\ud800", "💥", "x" * 100_000)


class AuthenticatorContract:
    """What every authenticator does. A subclass gives `authenticator`, the principals that it knows by credential, and one who is inactive."""

    def test_who_is_known_is_known_every_time(
        self, authenticator: Authenticator, known: Mapping[str, Principal]
    ) -> None:
        assert {credential: authenticator.authenticate(credential) for credential in (*known, *known)} == known

    def test_everybody_who_is_known_is_active(
        self, authenticator: Authenticator, known: Mapping[str, Principal], inactive: str
    ) -> None:
        assert all(principal.active for principal in known.values())
        assert authenticator.authenticate(inactive) == Denied(Reason.INACTIVE)

    def test_a_credential_is_known_as_a_whole(
        self, authenticator: Authenticator, known: Mapping[str, Principal]
    ) -> None:
        for credential in known:
            parts = (credential[1:], credential[: len(credential) // 2], f" {credential}", f"{credential}x")
            assert all(isinstance(authenticator.authenticate(part), Denied) for part in (*parts, f"{credential}\n"))

    @pytest.mark.parametrize("text", _STRANGE, ids=range(len(_STRANGE)))
    def test_whatever_else_is_presented_is_denied_and_never_an_error(
        self, authenticator: Authenticator, text: str
    ) -> None:
        assert isinstance(authenticator.authenticate(text), Denied)
