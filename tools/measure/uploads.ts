import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../operate/local/stack.ts'
import { startBareServer } from './bare-server.ts'
import { videoOf } from './killed-upload.ts'
import { median, report, rounded } from './results.ts'
import { bareSender, formOf, productSender, type Form, type Sender } from './senders.ts'

const MB = 1024 * 1024
const FILE_BYTES = 100 * MB
const ROUNDS = 7
const KINDS = ['tus', 'form', 'download'] as const

type Round = Record<(typeof KINDS)[number], number>

/** Megabytes per second of one file in each direction. */
async function round(sender: Sender, file: Buffer<ArrayBuffer>, wrapped: Form): Promise<Round> {
  const timed = async <T>(work: () => Promise<T>) => {
    const started = performance.now()
    const result = await work()
    return { result, perSecond: FILE_BYTES / MB / ((performance.now() - started) / 1000) }
  }
  const tus = await timed(() => sender.sendChunks(file))
  const form = await timed(() => sender.sendForm(wrapped))
  // Both downloads use the object stored in parts, because the local R2 serves one stored whole more than twice as fast.
  const download = await timed(() => sender.download(tus.result))
  if (download.result < FILE_BYTES) throw new Error(`only ${download.result} bytes were downloaded`)
  await sender.remove(tus.result)
  await sender.remove(form.result)
  return { tus: tus.perSecond, form: form.perSecond, download: download.perSecond }
}

/**
 * Measures the speed of uploads (in chunks, and in one request) and downloads, relative to a bare Worker that pipes the same
 * requests to and from R2. Both take turns, so that other load affects both.
 */
export async function measureUploads(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  await using stack = await startStack({ state: join(folder.path, 'ours') })
  await using bare = await startBareServer(join(folder.path, 'bare'))
  const file = videoOf(FILE_BYTES)
  const wrapped = formOf(file)
  const [product, baseline] = [await productSender(stack), bareSender(bare.url)]
  await round(product, file, wrapped)
  await round(baseline, file, wrapped)
  const [ours, theirs]: [Round[], Round[]] = [[], []]
  for (let at = 0; at < ROUNDS; at++) {
    theirs.push(await round(baseline, file, wrapped))
    ours.push(await round(product, file, wrapped))
  }
  const rows = KINDS.map((kind) => {
    const [our, their] = [median(ours.map((one) => one[kind])), median(theirs.map((one) => one[kind]))]
    return { kind, oursMBs: Math.round(our), bareMBs: Math.round(their), ratio: rounded(our / their) }
  })
  report('uploads', rows)
}
