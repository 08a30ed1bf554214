import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Rule } from '../../test/rules/rule.ts'
import { allRules, ROOT } from './rules.ts'

/** Where the table of rules, proofs and what was seen is kept. */
export const RULES_DOCUMENT = 'docs/security-rules.md'

const HEAD = `# Security rules and their proofs

Made by \`npm run prove\` from \`test/rules\`: for each rule of the threat model ([threat-model.md](threat-model.md)) it takes the
rule out of a copy of the product, runs the test, and writes here how the test failed. \`npm run verify\` checks that every
test is there, that every edit still fits, and that this table is in step.

| Id | Threat | Rule | Test | Seen when the rule was taken out |
|---|---|---|---|---|
`

/** What was seen, as it can stand in a cell: one line, 160 characters at most. */
export function seenColumn(seen: string): string {
  const line = cell(seen)
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

/** Writes the table anew. What was not seen this time keeps what was seen before. */
export async function writeRulesTable(seen: ReadonlyMap<string, string>): Promise<void> {
  const rules = await allRules()
  writeFileSync(resolve(ROOT, RULES_DOCUMENT), tableOf(rules, new Map([...seenBefore(), ...seen])))
}

/** The document for these rules. `seen` goes by `ID file › title`. */
export function tableOf(rules: readonly Rule[], seen: ReadonlyMap<string, string>): string {
  return `${HEAD}${rules.flatMap((rule) => rowsOf(rule, seen)).join('\n')}\n`
}

function rowsOf(rule: Rule, seen: ReadonlyMap<string, string>): string[] {
  const start = `| ${rule.id} | ${cell(rule.threat)} | ${cell(rule.rule)}`
  const proofs = (rule.proofs ?? []).map(
    ({ test }) => `${start} | \`${cell(test)}\` | ${seen.get(`${rule.id} ${test}`) ?? 'not tried yet'} |`,
  )
  const deviation =
    rule.deviation === undefined ? [] : [`${start} | – | Decided otherwise: ${cell(rule.deviation)} |`]
  return [...proofs, ...deviation]
}

/** What the document says was seen, by `ID file › title`. */
export function seenBefore(path = resolve(ROOT, RULES_DOCUMENT)): Map<string, string> {
  if (!existsSync(path)) return new Map()
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\| [A-Z]\d+ \|/u.test(line))
    .map((line) => line.split(/(?<!\\)\|/u).map((part) => part.trim()))
  return new Map(
    rows.flatMap(([, id, , , test, seen]) =>
      test?.startsWith('`') && seen !== 'not tried yet'
        ? [[`${id} ${test.slice(1, -1).replaceAll(String.raw`\|`, '|')}`, seen ?? ''] as const]
        : [],
    ),
  )
}

function cell(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('|', String.raw`\|`)
    .trim()
}
