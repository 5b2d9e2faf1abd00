"""Makes four small data sets of choices that people made, from the files of a Debian machine: `python3 machineSets.py <folder> <node_modules>`.

headers: the files of /usr/include and the files they include; imports: the Python files of the interpreter and of Debian, and the modules they import;
manual: manual pages and the pages under "See also"; npm: the packages below `node_modules` and their dependencies of any kind. Users have five items or more, items
three users or more, and a fifth of each user's items, drawn at random, becomes the test part. Sets of machines with other files differ.
"""
import ast
import collections
import gzip
import json
import pathlib
import re
import sys
import sysconfig

from splitChoices import write

most_files = 8000
include = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
see_also = re.compile(r'^\.S[Hh]\s+"?SEE ALSO"?\s*$(.*?)(?=^\.S[Hh]\s|\Z)', re.MULTILINE | re.DOTALL | re.IGNORECASE)
page = re.compile(r'([\w.+:-]+)\s?\((\d\w*)\)')
roff = re.compile(r'\\f[A-Z]|\\f\(..|\\m\[\w*\]|\\[&/,]|"')
kinds = ('dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies')


def read_headers():
    files = (each for each in sorted(pathlib.Path('/usr/include').rglob('*')) if each.is_file())
    return {str(file): set(include.findall(file.read_text(errors='replace'))) for file in files}


def modules_of(file):
    """The modules that a file imports by their whole names; none of a file that this interpreter cannot parse."""
    try:
        tree = ast.parse(file.read_text(errors='replace'))
    except (SyntaxError, ValueError):
        return set()
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules.add(node.module)
    return modules


def read_imports():
    paths = sysconfig.get_paths()
    folders = sorted({paths['stdlib'], paths['purelib'], '/usr/lib/python3/dist-packages'})
    files = sorted({file for folder in folders for file in pathlib.Path(folder).rglob('*.py')})
    return {str(file): modules_of(file) for file in files[:most_files]}


def read_manual():
    """The English pages; a page that is a link to another one is left out."""
    rows = {}
    for file in sorted(pathlib.Path('/usr/share/man').glob('man*/*.gz')):
        if file.is_symlink():
            continue
        with gzip.open(file, 'rt', errors='replace') as text:
            sections = see_also.findall(text.read().replace('\\-', '-'))
        own = file.name.removesuffix('.gz')
        rows[own] = {f'{name}.{section}' for name, section in page.findall(roff.sub('', '\n'.join(sections)))} - {own}
    return rows


def read_npm(folder):
    rows = collections.defaultdict(set)
    for file in sorted(pathlib.Path(folder).rglob('package.json')):
        if file.parent.parent.name == 'node_modules' or file.parent.parent.name.startswith('@'):
            described = json.loads(file.read_text())
            for kind in kinds:
                rows[described.get('name', str(file.parent))].update(described.get(kind) or {})
    return rows


def main(folder, modules):
    for name, rows in (('headers', read_headers()), ('imports', read_imports()), ('manual', read_manual()), ('npm', read_npm(modules))):
        write(f'{folder}/{name}', rows, least_items=5, least_users=3)


main(*sys.argv[1:])
