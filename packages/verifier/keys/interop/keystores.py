"""The side of eth-account. One JSON command on standard input, one JSON answer on standard output."""

import json
import os
import sys

from eth_account import Account
from eth_keyfile import create_keyfile_json


def open_keystore(keystore, password):
    key = Account.decrypt(keystore, password)
    return {"address": Account.from_key(key).address, "private_key": key.hex().removeprefix("0x")}


def make_keystore(password, kdf, iterations):
    key = os.urandom(32)
    keystore = create_keyfile_json(key, password.encode("utf-8"), kdf=kdf, iterations=iterations)
    return {"keystore": keystore, "address": Account.from_key(key).address, "private_key": key.hex()}


command = json.load(sys.stdin)
json.dump({"open": open_keystore, "make": make_keystore}[command.pop("do")](**command), sys.stdout)
