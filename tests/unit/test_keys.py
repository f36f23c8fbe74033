from __future__ import annotations

import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)

from toulmin.adapters.signing import KeyFile, new_key, public_keys
from toulmin.domain.errors import InputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "signing.pem"


def public(folder: Path, *pems: str) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.pem"
    path.write_text("".join(pems), encoding="utf-8")
    return path


def refused(code: str, *paths: Path, private: bool = False) -> InputError:
    with pytest.raises(InputError) as fault:
        KeyFile(paths[0]).sign(b"data") if private else public_keys(paths)
    assert fault.value.code == code
    assert str(paths[0]) in fault.value.message
    assert fault.value.remedy
    return fault.value


def test_a_new_key_is_a_file_for_its_owner_alone_in_a_folder_for_its_owner_alone(file: Path) -> None:
    new_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.read_text(encoding="utf-8").startswith("-----BEGIN PRIVATE KEY-----\n")


def test_a_key_file_is_never_written_over(file: Path) -> None:
    new_key(file)
    before = file.read_bytes()
    with pytest.raises(InputError) as fault:
        new_key(file)
    assert fault.value.code == "key_exists"
    assert file.read_bytes() == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as fault:
        new_key(tmp_path / "missing" / "folder" / "key.pem")
    assert fault.value.code == "unwritable_file"


def test_the_key_id_is_the_digest_of_the_public_key_in_der(file: Path) -> None:
    made = new_key(file)
    der = load_pem_public_key(made.public_pem.encode()).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert made.key_id == sha256(der).hexdigest() == KeyFile(file).key_id


def test_what_a_key_signed_verifies_with_its_public_half_alone(file: Path, tmp_path: Path) -> None:
    made, other = new_key(file), new_key(tmp_path / "other.pem")
    signature = KeyFile(file).sign(b"data")
    keys = public_keys([public(tmp_path, made.public_pem)])
    assert keys.holds(made.key_id)
    assert keys.verifies(made.key_id, signature, b"data")
    assert not keys.verifies(made.key_id, signature, b"date")
    assert not keys.verifies(made.key_id, signature[:-1], b"data")
    assert not keys.holds(other.key_id)
    assert not keys.verifies(other.key_id, other.sign(b"data"), b"data")


def test_after_a_rotation_old_and_new_signatures_verify_with_both_keys(file: Path, tmp_path: Path) -> None:
    old, new = new_key(file), new_key(tmp_path / "new.pem")
    one_file = public_keys([public(tmp_path, old.public_pem, new.public_pem)])
    two_files = public_keys([public(tmp_path, old.public_pem), public(tmp_path, new.public_pem)])
    for keys in (one_file, two_files):
        assert all(keys.verifies(key.key_id, key.sign(b"data"), b"data") for key in (old, new))
        assert not keys.verifies(new.key_id, old.sign(b"data"), b"data")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_private_key_that_others_may_open_is_refused_with_the_remedy(file: Path, mode: int) -> None:
    new_key(file)
    file.chmod(mode)
    fault = refused("key_exposed", file, private=True)
    assert f"chmod 600 {file}" in (fault.remedy or "")
    file.chmod(0o400)
    assert KeyFile(file).sign(b"data")


def test_a_missing_private_key_is_told_with_how_to_make_one(file: Path) -> None:
    assert "toulmin keys new" in (refused("unreadable_file", file, private=True).remedy or "")


def private_file(path: Path, pem: bytes) -> Path:
    path.write_bytes(pem)
    path.chmod(0o600)
    return path


def test_a_private_key_of_another_kind_an_encrypted_one_and_no_key_at_all_are_refused(
    file: Path, tmp_path: Path
) -> None:
    curve = generate_private_key(SECP256R1())
    other = curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    secret = new_key(file)._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    for number, pem in enumerate((other, secret, b"", b"no key")):
        refused("bad_key", private_file(tmp_path / f"bad{number}.pem", pem), private=True)


def test_public_files_that_hold_anything_but_ed25519_public_keys_are_refused(file: Path, tmp_path: Path) -> None:
    made = new_key(file)
    curve = generate_private_key(SECP256R1()).public_key()
    other = curve.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    broken = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
    for text in ("", "no key", other, broken, f"words\n{made.public_pem}", f"{made.public_pem}words"):
        refused("bad_key", public(tmp_path, text))
    assert "private" in refused("bad_key", file).message
    refused("unreadable_file", tmp_path / "missing.pem")


def test_without_the_extra_the_error_names_the_command_that_installs_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toulmin.adapters.signing.find_spec", lambda _name: None)
    attempts: list[Callable[[], object]] = [lambda: KeyFile(file), lambda: new_key(file), lambda: public_keys([file])]
    for attempt in attempts:
        with pytest.raises(InputError) as fault:
            attempt()
        assert fault.value.code == "missing_extra"
        assert 'pip install "toulmin[signing]"' in str(fault.value)


def test_openssl_reads_the_key_and_names_it_alike(file: Path) -> None:
    made = new_key(file)
    command = ["openssl", "pkey", "-in", str(file), "-pubout", "-outform", "DER"]
    try:
        der = subprocess.run(command, capture_output=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("there is no openssl command")
    assert sha256(der).hexdigest() == made.key_id
