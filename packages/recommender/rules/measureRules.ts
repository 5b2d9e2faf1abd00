import { Gauge, type Registry } from 'prom-client';
import type { RuleBook } from './inForce/ruleBook.ts';

/** Adds gauges for the rules of all organizations, as this process knows them. */
export function measureRules(metrics: Registry, book: RuleBook): void {
  const inForce: Gauge = new Gauge({
    name: 'vouch_recommender_rules_in_force',
    help: 'Rules of all organizations that are enabled and in their dates.',
    registers: [metrics],
    collect: () => inForce.set([...book.allInForce()].length),
  });
  const warned: Gauge = new Gauge({
    name: 'vouch_recommender_rules_with_warnings',
    help: 'Rules in force that lists of at least one model do without, for example because a column is missing.',
    registers: [metrics],
    collect: () => warned.set([...book.allInForce()].filter(({ warnings }) => Object.keys(warnings).length > 0).length),
  });
}
