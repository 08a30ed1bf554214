import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Edit, Rule } from '../../test/rules/rule.ts'
import { gapsOf, testTitles } from './test-titles.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = 'test/rules'

/** Every rule of test/rules, in the order of their ids. */
export async function allRules(): Promise<Rule[]> {
  const files = readdirSync(resolve(ROOT, FOLDER)).filter((name) => name !== 'rule.ts')
  const parts = await Promise.all(
    files.map(async (name) => (await import(resolve(ROOT, FOLDER, name))) as { rules: Rule[] }),
  )
  return parts.flatMap(({ rules }) => rules).toSorted(byId)
}

function byId(a: Rule, b: Rule): number {
  return a.id.charCodeAt(0) - b.id.charCodeAt(0) || Number(a.id.slice(1)) - Number(b.id.slice(1))
}

/** What makes these rules unprovable, one line each: a test that is not there, an edit that fits nowhere. */
export function problemsOf(rules: readonly Rule[], read: (path: string) => string = readSource): string[] {
  const seen = new Set<string>()
  return rules.flatMap((rule) => {
    const found: string[] = []
    if (!/^[A-Z]\d+$/u.test(rule.id)) found.push('is no id')
    if (seen.has(rule.id)) found.push('stands twice')
    seen.add(rule.id)
    if (rule.proofs?.length === 0) found.push('has no proof')
    for (const proof of rule.proofs ?? []) {
      found.push(
        ...testProblems(proof.test, read),
        ...proof.takenOut.flatMap((edit) => editProblems(edit, read)),
      )
      if (proof.takenOut.length === 0) found.push(`says not how to take it out: ${proof.test}`)
    }
    return found.map((problem) => `${rule.id} ${problem}`)
  })
}

/** A proof's test as its file and title. Throws when it is not written `file › title`. */
export function partsOfTest(test: string): { file: string; title: string } {
  const at = test.indexOf(' › ')
  if (at < 0) throw new Error(`not "file › title": ${test}`)
  return { file: test.slice(0, at), title: test.slice(at + 3) }
}

/** The file's text with the edit made. Throws unless the text stands in it exactly once. */
export function applied(source: string, { file, from, to }: Edit): string {
  if (source.split(from).length !== 2) throw new Error(`does not stand once in ${file}: ${from}`)
  return source.replace(from, () => to)
}

function readSource(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

function testProblems(test: string, read: (path: string) => string): string[] {
  try {
    const { file, title } = partsOfTest(test)
    const source = read(file)
    const isThere = testTitles(source).some((known) =>
      gapsOf(known, title)?.every((gap) => source.includes(gap)),
    )
    return isThere ? [] : [`is proven by a test that is not in ${file}: ${title}`]
  } catch (error) {
    return [String(error)]
  }
}

function editProblems(edit: Edit, read: (path: string) => string): string[] {
  try {
    return applied(read(edit.file), edit) === read(edit.file) ? [`edits nothing in ${edit.file}`] : []
  } catch (error) {
    return [String(error)]
  }
}
