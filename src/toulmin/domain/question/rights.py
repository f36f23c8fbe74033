"""A curator's rights: which documents a caller of the service may take in, change, and take out of service."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.domain.corpus.readers import Readers, of_tenant_alone
from toulmin.domain.question.case import Principal

CURATOR = "curator"


def may_curate(who: Principal, revisions: Sequence[Readers]) -> bool:
    """Whether a document is a caller's to curate, from the readers of each of its revisions, one that is to come included.

    A curator without a tenant curates everything. One of a tenant curates what its tenant alone reads: every revision, whatever has
    become of it, has readers, and all of them are the tenant and its groups. What is public, or has no readers, is nobody's but a curator's without a tenant.
    """
    if not (who.active and CURATOR in who.roles):
        return False
    tenant = who.tenant
    return tenant is None or (bool(revisions) and all(of_tenant_alone(tenant, readers) for readers in revisions))
