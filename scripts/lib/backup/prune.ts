import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '#shared/limits.ts'
import type { Catalogue } from './catalogue.ts'
import { BACKUP_FILE, backupNames, objectsOf, readManifest, removeBackup } from './manifest.ts'
import type { Vault } from './vault.ts'

/**
 * Removes backups that would be older than `keepDays` by tomorrow's run, but the newest, and all bytes that no backup needs
 * any more: what people deleted leaves the backups too. Returns the names of the removed.
 */
export async function prune(options: {
  folder: string
  catalogue: Catalogue
  vault: Vault
  keepDays: number
  now: Date
}): Promise<string[]> {
  const { folder, catalogue, vault, keepDays, now } = options
  const names = backupNames(folder)
  const oldest = now.getTime() - (keepDays - 1) * DAY_MS
  const old = names.slice(0, -1).filter((name) => Date.parse(readManifest(folder, name).at) < oldest)
  for (const name of old) removeBackup(folder, name)
  for (const name of backupNames(folder)) {
    for await (const { sha256 } of objectsOf(folder, readManifest(folder, name))) catalogue.name(sha256)
  }
  for (const sha256 of vault.all()) if (!catalogue.isNamed(sha256)) vault.remove(sha256)
  catalogue.forgetUnnamed()
  removeLeft(folder)
  return old
}

/** Files of backups that were never finished, or of which only a part was removed. What has no name of ours is not ours. */
function removeLeft(folder: string): void {
  const names = new Set(backupNames(folder))
  for (const place of ['backups', 'database']) {
    const inside = join(folder, place)
    for (const file of existsSync(inside) ? readdirSync(inside, { withFileTypes: true }) : []) {
      const name = BACKUP_FILE.exec(file.name)?.[1]
      if (file.isFile() && name !== undefined && !names.has(name)) rmSync(join(inside, file.name))
    }
  }
}
