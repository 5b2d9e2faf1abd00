/** Style sheet of a report: system fonts, for paper and for light and dark screens. */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566072; --line: #d5dae3; --paper: #fff; --card: #f6f7fa; --strong: #0b5cad;
  --chosen: #ffd97a; --curve: #0b5cad; --part: #7b8798; --shot0: #8a94a6; --shot1: #c3c9d4; --miss: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #a5aebd; --line: #39414f; --paper: #14181f; --card: #1d232d; --strong: #7db8ff;
  --chosen: #5c4a12; --curve: #7db8ff; --part: #7b8798; --shot0: #5d6779; --shot1: #39414f; --miss: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; } .soft { color: var(--soft); } a { color: var(--strong); }
video, .moving { display: block; width: 100%; max-height: 32rem; margin: 1rem 0; background: #000; border-radius: .4rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .6rem 1rem; margin: 1rem 0; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; overflow-wrap: anywhere; }
.curve { display: block; width: 100%; height: auto; }
.chosen { fill: var(--chosen); } .importance { fill: var(--curve); fill-opacity: .75; } .part { fill: var(--part); } .axis { stroke: var(--line); }
.shot0 { fill: var(--shot0); } .shot1 { fill: var(--shot1); } .miss { fill: var(--paper); stroke: var(--miss); stroke-width: 2; }
.tick { fill: var(--soft); font-size: 10px; } .number { fill: var(--ink); font-size: 12px; font-weight: 600; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; list-style: none; color: var(--soft); font-size: .85rem; }
.key svg { width: .9rem; height: .9rem; vertical-align: -.1rem; margin-right: .3rem; }
.segments { list-style: none; margin: 0; padding: 0; display: grid; gap: .8rem; }
.segments > li { display: grid; grid-template-columns: minmax(8rem, 18rem) 1fr; gap: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; break-inside: avoid; }
.picture { display: block; width: 100%; height: auto; border-radius: .3rem; background: #000; }
.reasons { list-style: none; margin: .4rem 0 0; padding: 0; }
.reasons li { display: grid; grid-template-columns: 3.2rem 6rem 1fr; gap: .6rem; align-items: center; }
.reasons meter { width: 100%; height: .7rem; } .share { text-align: right; font-variant-numeric: tabular-nums; }
blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--soft); overflow-wrap: anywhere; }
figure { margin: 0; } .posters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; align-items: start; }
.posters figure { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; break-inside: avoid; }
.posters img { display: block; width: 100%; height: auto; max-height: 20rem; object-fit: contain; border-radius: .3rem; background: #000; }
figcaption { margin-top: .4rem; overflow-wrap: anywhere; } figcaption span { display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); }
td.picture-cell { width: 8rem; } td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.warnings { background: var(--card); border-left: 4px solid var(--miss); padding: .4rem 1rem; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 36rem) { .curve { min-width: 52rem; } .segments > li { grid-template-columns: 1fr; } .reasons li { grid-template-columns: 3.2rem 1fr; } .reasons meter { display: none; }
  thead { display: none; } tbody tr { display: grid; grid-template-columns: 8rem 1fr; gap: 0 .8rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  tbody td { border: 0; padding: 0; } tbody td.picture-cell { grid-row: span 2; } tbody td:last-child { grid-column: 1 / -1; padding-top: .3rem; } }
@media print { video { display: none; } body { font-size: 11pt; } main { padding: 0; max-width: none; } tr { break-inside: avoid; } .segments > li { background: none; } h2 { break-after: avoid; } * { print-color-adjust: exact; } }
`;
