import { useState } from 'react'
import { WIZARD_PHOTOS_MAX } from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { filesChosen, messages, onlyMorePhotos } from '#shared/messages.ts'
import { announce, showErrorToast } from '#client/lib/toast-store.ts'
import { quickProblem, fileInUse } from '#client/lib/upload/check-media.ts'
import { accept, problemText, wizardRule } from '#client/lib/upload/file-rules.ts'
import { useKeepsOriginals } from '#client/lib/upload/use-keeps-originals.ts'
import { FileButton } from '#client/ui/forms/file-button.tsx'
import { KeepOriginals } from '#client/ui/media/keep-originals.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { UnfinishedUploads } from '#client/ui/media/unfinished-uploads.tsx'
import { UploadRow } from '#client/ui/media/upload-row.tsx'
import { UploadTotal } from '#client/ui/media/upload-total.tsx'
import { RecordAudioButton } from '#client/ui/media/voice-recorder.tsx'
import type { WizardUploads } from './use-wizard-uploads.ts'
import shared from '../wizard.module.css'
import styles from './media.module.css'

type Place = {
  title: string
  hint: string
  button: string
  type: MediaType
  isMain: boolean
  multiple: boolean
}

const PLACES: readonly Place[] = [
  {
    title: 'Main photo',
    hint: 'Shown in lists and when the page is shared. This is the portrait unless you choose another. At most 50 MB.',
    button: 'Choose the main photo',
    type: 'IMAGE',
    isMain: true,
    multiple: false,
  },
  {
    title: `More photos (up to ${WIZARD_PHOTOS_MAX})`,
    hint: 'JPEG, PNG or WebP, at most 50 MB each.',
    button: 'Choose photos',
    type: 'IMAGE',
    isMain: false,
    multiple: true,
  },
  {
    title: 'Video',
    hint: 'MP4, MOV or WebM, at most 100 MB.',
    button: 'Choose a video',
    type: 'VIDEO',
    isMain: false,
    multiple: true,
  },
  {
    title: 'Audio',
    hint: 'A voice, a song, a sermon: MP3, M4A, WAV or a WhatsApp voice note, at most 50 MB.',
    button: 'Choose a recording',
    type: 'AUDIO',
    isMain: false,
    multiple: true,
  },
]

type Refused = { key: string; name: string; text: string }

const refusal = (name: string, text: string): Refused => ({ key: crypto.randomUUID(), name, text })

/** The four file inputs, each with the list of chosen files. `savedPhotos` is the number of saved photos. */
export function MediaPicker({ uploads, savedPhotos }: { uploads: WizardUploads; savedPhotos: number }) {
  const [refused, setRefused] = useState<{ place: string; files: Refused[] }>({ place: '', files: [] })

  const keepsOriginals = useKeepsOriginals()

  async function choose(place: Place, files: File[]) {
    const rule = wizardRule(place.type)
    const problems: Refused[] = []
    const accepted: File[] = []
    for (const file of files) {
      const problem = quickProblem(file, rule)
      if (!problem) {
        accepted.push(file)
        continue
      }
      problems.push(refusal(file.name, problemText(problem)))
      showErrorToast(problem.title, problem.text)
    }
    const limit = place.isMain ? 1 : photosLeft(place)
    if (!place.isMain && accepted.length > limit) {
      const text = onlyMorePhotos(limit)
      problems.push(...accepted.slice(limit).map(({ name }) => refusal(name, text)))
      showErrorToast(messages.media.tooManyPhotosTitle, text)
    }
    setRefused({ place: place.title, files: problems })
    const added = accepted.slice(0, limit)
    if (added.length > 0) announce(filesChosen(added.map(() => place.type)))
    const rejected = await uploads.add(rule, added, place.isMain)
    if (rejected.length === 0) return
    for (const { problem } of rejected) showErrorToast(problem.title, problem.text)
    const more = rejected.map(({ name, problem }) => refusal(name, problemText(problem)))
    setRefused((now) => ({
      place: place.title,
      files: now.place === place.title ? [...now.files, ...more] : more,
    }))
  }

  function photosLeft({ type: placeType }: Place): number {
    if (placeType !== 'IMAGE') return Number.POSITIVE_INFINITY
    const queued = uploads.items.filter(({ type, isMain }) => type === 'IMAGE' && !isMain).length
    return Math.max(0, WIZARD_PHOTOS_MAX - savedPhotos - queued)
  }

  return (
    <>
      <UnfinishedUploads unfinished={uploads.unfinished} />
      <KeepOriginals items={uploads.items} />
      {PLACES.map((place) => (
        <section key={place.title} className={styles.place} aria-label={place.title}>
          <h3>{place.title}</h3>
          <p className={`small-muted ${shared.hint}`}>{place.hint}</p>
          <div className="row">
            <FileButton
              label={place.button}
              accept={accept[place.type]}
              multiple={place.multiple}
              onFiles={(files) => void choose(place, files)}
            />
            {place.type === 'AUDIO' && (
              <RecordAudioButton maxSec={null} onFile={(file) => void choose(place, [file])} />
            )}
          </div>
          {uploads.items
            .filter(({ type, isMain }) => type === place.type && isMain === place.isMain)
            .map((item) => (
              <UploadRow
                key={item.key}
                upload={{ ...item, ...fileInUse(item, keepsOriginals) }}
                onRemove={item.state === 'sent' ? undefined : () => uploads.remove(item.key)}
                onRetry={() => void uploads.retry(item.key)}
              />
            ))}
          {refused.place === place.title && refused.files.length > 0 && (
            <Notice kind="error" title="Not added">
              <ul className={styles.refused}>
                {refused.files.map(({ key, name, text }) => (
                  <li key={key}>
                    <strong>{name}</strong>: {text}
                  </li>
                ))}
              </ul>
            </Notice>
          )}
        </section>
      ))}
      <UploadTotal items={uploads.items} />
    </>
  )
}
