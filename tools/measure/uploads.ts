import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../operate/local/stack.ts'
import { startBareServer } from './bare-server.ts'
import { film } from './film.ts'
import { report } from './results.ts'
import { median, rounded } from './statistics.ts'
import { formOf, toBare, toUs, type Form, type Sender } from './senders.ts'

const MB = 1024 * 1024
const FILE_BYTES = 100 * MB
const ROUNDS = 7
const KINDS = ['tus', 'form', 'download'] as const

type Round = Record<(typeof KINDS)[number], number>

/** Megabytes a second of one file each way. */
async function round(sender: Sender, file: Buffer<ArrayBuffer>, wrapped: Form): Promise<Round> {
  const timed = async <T>(work: () => Promise<T>) => {
    const started = performance.now()
    const result = await work()
    return { result, perSecond: FILE_BYTES / MB / ((performance.now() - started) / 1000) }
  }
  const tus = await timed(() => sender.sendPieces(file))
  const form = await timed(() => sender.sendForm(wrapped))
  // Of both the one that lies in parts: the local R2 gives a file in one piece back more than twice as fast.
  const download = await timed(() => sender.download(tus.result))
  if (download.result < FILE_BYTES) throw new Error(`${download.result} bytes came back`)
  await sender.remove(tus.result)
  await sender.remove(form.result)
  return { tus: tus.perSecond, form: form.perSecond, download: download.perSecond }
}

/**
 * How quick files come in (in pieces, and in one request) and go out, as a ratio to a bare Worker that pipes the same
 * bytes in the same requests to and from R2. Both take turns, so that a busy machine is busy for both.
 */
export async function measureUploads(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const stack = await startStack({ port: 0, sandboxPort: 0, state: join(state, 'ours') })
  const bare = await startBareServer(join(state, 'bare'))
  try {
    const file = film(FILE_BYTES)
    const wrapped = formOf(file)
    const [us, them] = [await toUs(stack), toBare(bare.url)]
    await round(us, file, wrapped)
    await round(them, file, wrapped)
    const [ours, theirs]: [Round[], Round[]] = [[], []]
    for (let at = 0; at < ROUNDS; at++) {
      theirs.push(await round(them, file, wrapped))
      ours.push(await round(us, file, wrapped))
    }
    const rows = KINDS.map((kind) => {
      const [our, their] = [median(ours.map((one) => one[kind])), median(theirs.map((one) => one[kind]))]
      return { kind, oursMBs: Math.round(our), bareMBs: Math.round(their), ratio: rounded(our / their) }
    })
    report('uploads', rows)
  } finally {
    await bare.close()
    await stack.close()
    rmSync(state, { recursive: true, force: true })
  }
}
