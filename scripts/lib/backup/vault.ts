import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Names that this class gives, and nobody else. */
const PART = /^part-[\da-f]{16}$/u
const SHA256 = /^[\da-f]{64}$/u

export type Sums = { size: number; sha256: string; md5: string }

/**
 * Bytes kept by their SHA-256 in `objects/<aa>/<sha256>`. A file there is whole: it is written beside, flushed to the disk
 * and then given its name. Only the owner of the folder may read it.
 */
export class Vault {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'objects')
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** Removes what broken runs have left half written. */
  clean(): void {
    for (const name of readdirSync(this.#folder)) {
      if (PART.test(name)) rmSync(join(this.#folder, name))
    }
  }

  path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }

  has(sha256: string, size: number): boolean {
    const path = this.path(sha256)
    return existsSync(path) && statSync(path).size === size
  }

  read(sha256: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.path(sha256), { highWaterMark: 256 * 1024 })
  }

  /** Writes a stream, holding one chunk of it. `accept` may throw on what came: then nothing stays. */
  async write(body: AsyncIterable<Uint8Array>, accept: (sums: Sums) => void): Promise<Sums> {
    const part = join(this.#folder, `part-${randomBytes(8).toString('hex')}`)
    const file = await open(part, 'wx', 0o600)
    try {
      const sha256 = createHash('sha256')
      const md5 = createHash('md5')
      let size = 0
      for await (const chunk of body) {
        sha256.update(chunk)
        md5.update(chunk)
        size += chunk.byteLength
        for (let at = 0; at < chunk.byteLength;) {
          at += (await file.write(chunk, at, chunk.byteLength - at)).bytesWritten
        }
      }
      const sums = { size, sha256: sha256.digest('hex'), md5: md5.digest('hex') }
      accept(sums)
      await file.sync()
      await file.close()
      mkdirSync(join(this.#folder, sums.sha256.slice(0, 2)), { recursive: true, mode: 0o700 })
      await rename(part, this.path(sums.sha256))
      return sums
    } catch (error) {
      await file.close().catch(() => null)
      await rm(part, { force: true })
      throw error
    }
  }

  /** Whether the bytes are still those of their name. */
  async isWhole(sha256: string): Promise<boolean> {
    try {
      return (await hashFile(this.path(sha256))) === sha256
    } catch {
      return false
    }
  }

  /** The names of all that is kept, and of nothing else that lies there. */
  *all(): Generator<string> {
    for (const { name: prefix } of folders(this.#folder)) {
      yield* readdirSync(join(this.#folder, prefix)).filter((name) => SHA256.test(name))
    }
  }

  remove(sha256: string): void {
    rmSync(this.path(sha256), { force: true })
  }

  /** Flushes the names of everything that was written: after a power cut all of it is found. */
  async settle(): Promise<void> {
    for (const { name } of folders(this.#folder)) await syncFolder(join(this.#folder, name))
    await syncFolder(this.#folder)
  }
}

function folders(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && /^[\da-f]{2}$/u.test(entry.name),
  )
}

/** Flushes the names in a folder. Systems that cannot do that to a folder keep them by themselves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => null)
  await handle?.close()
}

/** SHA-256 of a file, read piece by piece. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer)
  return hash.digest('hex')
}
