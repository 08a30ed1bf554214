import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findHoldReason } from '#worker/features/rules/hold-reason.ts'
import { report } from './results.ts'

const FOLDER = resolve(import.meta.dirname, '../../test/fixtures/words')
const NO_LISTS = { held: [], allowed: [] }

/** `isHeldOut`: the rules were not changed for this line. `kind` is null for a loving message. */
type Line = { language: string; kind: string | null; body: string; isHeldOut: boolean }
type Judged = Line & { reason: string | null }

/** The labelled messages of one file. Those below the heading "Held out" were written after the rules. */
function readLines(file: string): Line[] {
  const [first = '', heldOut = ''] = readFileSync(resolve(FOLDER, file), 'utf8').split('# Held out')
  return [...rowsOf(first, false), ...rowsOf(heldOut.replace(/^.*/u, ''), true)]
}

function rowsOf(text: string, isHeldOut: boolean): Line[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [language = '', ...cells] = line.split('\t')
    const body = (cells.at(-1) ?? '').replaceAll('\\n', '\n')
    return { language, kind: cells.length > 1 ? (cells[0] ?? null) : null, body, isHeldOut }
  })
}

/** Every labelled message, and the reason that the rules find. */
export function judgeCorpus(): { tender: Judged[]; hurtful: Judged[] } {
  const judge = (line: Line): Judged => ({
    ...line,
    reason: findHoldReason({ name: 'Farai Chikomo', relation: 'Her pupil', body: line.body }, NO_LISTS),
  })
  return { tender: readLines('tender.tsv').map(judge), hurtful: readLines('hurtful.tsv').map(judge) }
}

const percent = (some: readonly unknown[], all: readonly unknown[]) =>
  all.length === 0
    ? ''
    : `${some.length} of ${all.length} (${Math.round((some.length / all.length) * 1000) / 10} %)`

function row(name: string, { tender, hurtful }: ReturnType<typeof judgeCorpus>) {
  const isHeld = ({ reason }: Judged) => reason !== null
  return {
    of: name,
    found: percent(hurtful.filter(isHeld), hurtful),
    'held by mistake': percent(tender.filter(isHeld), tender),
  }
}

/** What the rules find of hurtful messages, and how many loving ones they hold. */
export function measureWords(): Promise<void> {
  const judged = judgeCorpus()
  const only = (keeps: (line: Judged) => boolean) => ({
    tender: judged.tender.filter(keeps),
    hurtful: judged.hurtful.filter(keeps),
  })
  const languages = [...new Set(judged.tender.map(({ language }) => language))]
  const kinds = [...new Set(judged.hurtful.map(({ kind }) => kind ?? ''))]
  report('words', [
    row('all', judged),
    row(
      'held out',
      only(({ isHeldOut }) => isHeldOut),
    ),
    row(
      'the others',
      only(({ isHeldOut }) => !isHeldOut),
    ),
    ...languages.map((name) =>
      row(
        name,
        only(({ language }) => language === name),
      ),
    ),
    ...kinds.map((name) =>
      row(name, { tender: [], hurtful: judged.hurtful.filter(({ kind }) => kind === name) }),
    ),
  ])
  console.log('Missed:')
  for (const { language, kind, body } of judged.hurtful.filter((line) => line.reason === null))
    console.log(`  ${language} ${kind ?? ''}: ${body}`)
  console.log('Held by mistake:')
  for (const { language, reason, body } of judged.tender.filter((line) => line.reason !== null))
    console.log(`  ${language} ${reason ?? ''}: ${body}`)
  return Promise.resolve()
}
