import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { allRules, problemsOf, ROOT } from './lib/rules.ts'
import { RULES_DOCUMENT, seenBefore, tableOf } from './lib/rules-table.ts'

/** Checks that every rule of test/rules can still be proven, and that docs/security-rules.md is in step with them. */
const rules = await allRules()
const problems = problemsOf(rules)
const table = tableOf(rules, seenBefore())
if (process.env['CI'] && readFileSync(resolve(ROOT, RULES_DOCUMENT), 'utf8') !== table)
  problems.push(`${RULES_DOCUMENT} is not in step: npm run prove`)
for (const problem of problems) console.log(problem)
const proofs = rules.flatMap((rule) => rule.proofs ?? [])
console.log(`${rules.length} rules, ${proofs.length} proofs`)
process.exit(problems.length === 0 ? 0 : 1)
