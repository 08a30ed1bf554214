import { useEffect, useEffectEvent, useState } from 'react'
import type { MediaType } from '#shared/media.ts'
import { asItIs } from './check-media.ts'
import { isSameFile } from './file-identity.ts'
import {
  forgetUpload,
  isKept,
  keepUnwanted,
  keepUpload,
  keptFile,
  listKept,
  sweepFiles,
  type KeptUpload,
} from './kept-uploads.ts'
import { endMedia } from './send-media.ts'
import { isOnItsWay, newRow, shownFile, type SendRow } from './send-row.ts'
import { claimUpload, releaseUpload } from './upload-claim.ts'

type Row = SendRow & { type: MediaType | null; isMain?: boolean }

/** An upload of an earlier visit, and what goes on with it. */
export type Resumed = SendRow & { type: MediaType; isMain: boolean }

export type LeftUploads = {
  /** Those whose file has to be chosen again. */
  left: readonly KeptUpload[]
  /** False where that is another file. */
  choose: (kept: KeptUpload, file: File) => Promise<boolean>
  forget: (kept: KeptUpload) => void
}

/**
 * Keeps what is on its way on this device, and finds what an earlier visit had left: `resume` gets those that can go on by
 * themselves at once, and the others when their file was chosen. `personId` null: nobody that is known yet.
 */
export function useKeptUploads(
  personId: string | null,
  memorialId: string | null,
  rows: readonly Row[],
  resume: (upload: Resumed) => void,
): LeftUploads {
  const [left, setLeft] = useState<readonly KeptUpload[]>([])

  useEffect(() => {
    if (personId === null || memorialId === null) return
    for (const row of rows) {
      const { key, type, checked } = row
      if (type === null || checked === null || !isOnItsWay(row) || isKept(key)) continue
      void claimUpload(key)
      void keepUpload({ key, memorialId, personId, type, isMain: row.isMain ?? false }, shownFile(row).file)
    }
  }, [personId, memorialId, rows])

  const goOn = useEffectEvent((kept: KeptUpload, file: File) => {
    resume(resumed(kept, file))
  })
  useEffect(() => {
    if (personId === null || memorialId === null) return undefined
    let isOver = false
    const shown = new Set<string>()
    async function find(person: string, memorial: string): Promise<void> {
      await sweepFiles()
      for (const kept of listKept(person, memorial)) {
        if (isOver) return
        if (kept.isUnwanted) void dismiss(kept)
        else if (await claimUpload(kept.key)) {
          const file = await keptFile(kept)
          if (isOver) releaseUpload(kept.key)
          else if (file) goOn(kept, file)
          else {
            shown.add(kept.key)
            setLeft((before) => [...before, kept])
          }
        }
      }
    }
    const tellServer = () => {
      for (const kept of listKept(personId, memorialId)) if (kept.isUnwanted) void dismiss(kept)
    }
    void find(personId, memorialId)
    window.addEventListener('online', tellServer)
    return () => {
      isOver = true
      window.removeEventListener('online', tellServer)
      for (const key of shown) releaseUpload(key)
      setLeft([])
    }
  }, [personId, memorialId])

  const drop = (kept: KeptUpload) => setLeft((before) => before.filter(({ key }) => key !== kept.key))
  return {
    left,
    async choose(kept, file) {
      if (!(await isSameFile(kept, file))) return false
      drop(kept)
      resume(resumed(kept, file))
      return true
    },
    forget(kept) {
      drop(kept)
      void dismiss(kept)
      releaseUpload(kept.key)
    },
  }
}

function resumed({ key, type, isMain, url, safe, size }: KeptUpload, file: File): Resumed {
  return { ...newRow(file, 'waiting'), checked: asItIs(file), key, type, isMain, url, part: safe / size }
}

/** Tells the server that an upload is not wanted any more; where it cannot be told, another visit does. */
async function dismiss({ key, url }: KeptUpload): Promise<void> {
  keepUnwanted(key)
  if (url === null || (await endMedia(url))) forgetUpload(key)
}
