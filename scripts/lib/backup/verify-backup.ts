import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { objectsOf, type FileSum, type Manifest } from './manifest.ts'
import { inParallel } from './parallel.ts'
import { hashFile, type Vault } from './vault.ts'

/**
 * Reads a whole backup again and compares it with its checksums. Returns what is wrong with it, a sentence each; empty when
 * all is well. `seen`: bytes that were found whole already, and are not read twice. `damaged` hears of the others.
 */
export async function verifyBackup(options: {
  folder: string
  manifest: Manifest
  vault: Vault
  seen: Set<string>
  damaged?: (sha256: string) => void
}): Promise<string[]> {
  const { folder, manifest, vault, seen } = options
  const broken = [
    await fileProblem(folder, manifest.database),
    await fileProblem(folder, manifest.objects),
  ].flatMap((problem) => problem ?? [])
  if (broken.length > 0) return broken
  const problems: string[] = []
  await inParallel(objectsOf(folder, manifest), 2, async ({ key, sha256 }) => {
    if (seen.has(sha256)) return
    if (await vault.isWhole(sha256)) seen.add(sha256)
    else {
      problems.push(`${key}: its bytes (${sha256}) are damaged or gone`)
      options.damaged?.(sha256)
    }
  })
  return problems
}

async function fileProblem(folder: string, { file, sha256 }: FileSum): Promise<string | null> {
  const path = join(folder, file)
  if (!existsSync(path)) return `${file} is gone`
  return (await hashFile(path)) === sha256 ? null : `${file} is damaged`
}
