"""Makes a data set whose items have metadata, from the package lists of a Debian machine: `python3 describedDependencies.py <folder>`.

Users are packages and items are the packages that they depend on, recommend or suggest; metadata are section, tags and the short description. Users have three items or more, items two
users or more. There are no times: the order of a user's items is drawn at random, and stands in the column of times. Writes debian.inter and debian.item, in the format of `catalogue.ts`.
"""
import collections
import pathlib
import random
import re
import subprocess
import sys

relations = ('Depends', 'Recommends', 'Suggests')


def read_packages():
    """The fields of each available package, with the lines of a field joined."""
    listed = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True, errors='replace', check=True).stdout
    for paragraph in re.sub(r'\n[ \t]+', ' ', listed).split('\n\n'):
        fields = dict(line.split(': ', 1) for line in paragraph.split('\n') if ': ' in line)
        if 'Package' in fields:
            yield fields


def named_in(fields, keys):
    names = (re.sub(r'[\s(:|].*', '', each.strip()) for key in keys for each in fields.get(key, '').split(','))
    return {name for name in names if name}


def keep_frequent(rows):
    while True:
        count = collections.Counter(item for items in rows.values() for item in items)
        kept = {user: {item for item in items if count[item] >= 2} for user, items in rows.items()}
        kept = {user: items for user, items in kept.items() if len(items) >= 3}
        if kept == rows:
            return kept
        rows = kept


def class_of(fields):
    tags = [tag.strip().replace(' ', '') for tag in fields.get('Tag', '').split(',') if tag.strip()]
    return ' '.join([f"section::{fields['Section'].split('/')[-1]}", *tags] if 'Section' in fields else tags)


folder = pathlib.Path(sys.argv[1])
packages = {fields['Package']: fields for fields in read_packages()}
rows = keep_frequent({name: named_in(fields, relations) for name, fields in packages.items()})
with (folder / 'debian.inter').open('w') as out:
    print('user_id', 'item_id', 'rating', 'timestamp', sep='\t', file=out)
    for user in sorted(rows):
        drawn = sorted(rows[user])
        random.Random(user).shuffle(drawn)
        for second, item in enumerate(drawn):
            print(user, item, 1, second, sep='\t', file=out)
with (folder / 'debian.item').open('w') as out:
    print('item_id', 'title', 'year', 'class', sep='\t', file=out)
    for item in sorted({item for items in rows.values() for item in items}):
        fields = packages.get(item, {})
        print(item, fields.get('Description', '').split('.')[0][:80], '', class_of(fields), sep='\t', file=out)
