"""Removes rare users and items, and writes a fifth of each user's items as test part."""
import collections
import random


def remove_rare(rows, least_items, least_users):
    """Removes users with fewer than `least_items` items and items with fewer than `least_users` users, until none is left."""
    while True:
        count = collections.Counter(item for items in rows.values() for item in items)
        kept = {user: {item for item in items if count[item] >= least_users} for user, items in rows.items()}
        kept = {user: items for user, items in kept.items() if len(items) >= least_items}
        if sum(map(len, kept.values())) == sum(map(len, rows.values())):
            return kept
        rows = kept


def write(path, rows, least_items=5, least_users=5):
    """Writes `<path>.train.txt` and `<path>.test.txt`: each line is a user and its items, as `peers.ts --train` reads them. The test items are drawn at random."""
    rows = remove_rare(rows, least_items, least_users)
    users, chance = sorted(rows), random.Random(7)
    number = {item: place for place, item in enumerate(sorted({item for items in rows.values() for item in items}))}
    with open(f'{path}.train.txt', 'w') as train, open(f'{path}.test.txt', 'w') as test:
        for place, user in enumerate(users):
            items = sorted(number[item] for item in rows[user])
            chance.shuffle(items)
            held = max(1, round(len(items) * 0.2))
            test.write(f"{place} {' '.join(map(str, sorted(items[:held])))}\n")
            train.write(f"{place} {' '.join(map(str, sorted(items[held:])))}\n")
    print(f'{path}: {len(users)} users, {len(number)} items, {sum(map(len, rows.values()))} interactions')
