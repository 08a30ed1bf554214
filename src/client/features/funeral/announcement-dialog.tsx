import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { announced, announcementText } from '#shared/funeral/announcement.ts'
import { api } from '#shared/api.ts'
import type { CardShape, FuneralEvent } from '#shared/funeral/funeral.ts'
import { nameOf } from '#shared/funeral/gatherings.ts'
import { ANNOUNCEMENT_CARD } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { announcementMessages } from '#shared/funeral/announcement-messages.ts'
import { NetworkError, pathOf, requireOk } from '#client/lib/call.ts'
import { copyText } from '#client/lib/browser/copy-text.ts'
import { saveFile } from '#client/lib/browser/image-files.ts'
import { links, whatsAppLink } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { SelectField } from '#client/ui/forms/field.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { RadioChoices } from '#client/ui/forms/radio-choices.tsx'
import { openShareSheet } from '#client/ui/share-text.tsx'
import styles from './announcement-dialog.module.css'

const SHAPES = { portrait: { name: 'For a chat' }, story: { name: 'For a status' } }
type Props = { memorial: Memorial; invite: string | undefined; onClose: () => void }

/** The announcement, or one gathering of it, as a picture and as text. */
export function AnnouncementDialog({ memorial, invite, onClose }: Props) {
  const events = useQuery({
    ...endpointQuery(api.funeralEvents, { params: { id: memorial.id }, query: { invite } }),
    // Whoever changed a time just now forwards the new one.
    staleTime: 0,
  })
  return (
    <Dialog title="A card to forward" onClose={onClose}>
      {reachNote(memorial) && <p className={`small-muted ${styles.note}`}>{reachNote(memorial)}</p>}
      {events.isError && (
        <LoadError
          title={announcementMessages.loadFailedTitle}
          error={events.error}
          onRetry={() => void events.refetch()}
        />
      )}
      {events.data && !events.isFetching && (
        <Announcement memorial={memorial} invite={invite} events={events.data.funeralEvents} />
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}

/** Who can open the link on the card, unless anybody can. */
function reachNote({ privacy }: Memorial): string | null {
  if (privacy === 'LOCKED') return null
  return privacy === 'INVITE' ? announcementMessages.needsInvitation : announcementMessages.stillPrivate
}

function Announcement({
  memorial,
  invite,
  events,
}: Omit<Props, 'onClose'> & { events: readonly FuneralEvent[] }) {
  const [now] = useState(() => Date.now())
  const [eventId, setEventId] = useState<string>()
  const [shape, setShape] = useState<CardShape>('portrait')
  const link = useOwnOrigin() + links.publicMemorial(memorial.slug)
  const ahead = announced(events, now)
  const text = announcementText(memorial, { events, now, link, eventId })
  const query = { event: eventId, shape, version: versionOf(text), invite }
  const path = pathOf(api.announcementCard, { params: { id: memorial.id }, query })
  const picture = useQuery({ queryKey: [path], queryFn: () => fetchPicture(path) })
  const file = picture.data && new File([picture.data], `${memorial.slug}.jpg`, { type: picture.data.type })
  const shared = file && { files: [file], text }
  return (
    <>
      {ahead.length > 1 && (
        <SelectField
          label="What it shows"
          value={eventId ?? ''}
          onChange={(event) => setEventId(event.currentTarget.value || undefined)}
        >
          <option value="">All gatherings</option>
          {ahead.map((event) => (
            <option key={event.id} value={event.id}>
              {nameOf(event)}
            </option>
          ))}
        </SelectField>
      )}
      <RadioChoices question="Shape" choices={SHAPES} value={shape} onChoose={setShape} />
      {picture.isError ? (
        <LoadError
          title={announcementMessages.pictureFailedTitle}
          error={picture.error}
          onRetry={() => void picture.refetch()}
        />
      ) : (
        <Preview picture={picture.data} shape={shape} text={text} />
      )}
      <div className={`row ${styles.actions}`}>
        {shared && canShareFile(shared) ? (
          <Button variant="primary" wide onClick={() => void openShareSheet(shared)}>
            Share on WhatsApp
          </Button>
        ) : (
          <ButtonAnchor
            variant="primary"
            wide
            href={whatsAppLink(text)}
            target="_blank"
            rel="noopener noreferrer"
          >
            Share on WhatsApp
          </ButtonAnchor>
        )}
        <Button disabled={!file} onClick={() => file && saveFile(file, file.name)}>
          Save the picture
        </Button>
        <Button
          onClick={() =>
            void copyText(text, announcementMessages.copiedTitle, announcementMessages.copyFailedText)
          }
        >
          Copy the text
        </Button>
      </div>
      <details className={styles.text}>
        <summary>The text</summary>
        <p>{text}</p>
      </details>
    </>
  )
}

/** The picture, in its place from the start. Its text is beside it, for those who don't see it. */
function Preview({ picture, shape, text }: { picture: Blob | undefined; shape: CardShape; text: string }) {
  const show = useCallback(
    (image: HTMLImageElement | null) => {
      if (!image || !picture) return undefined
      const url = URL.createObjectURL(picture)
      image.src = url
      return () => URL.revokeObjectURL(url)
    },
    [picture],
  )
  const size = ANNOUNCEMENT_CARD[shape]
  return (
    <div className={`${styles.preview} ${styles[shape]}`} aria-busy={!picture}>
      {picture ? (
        <img ref={show} width={size.width} height={size.height} alt={text.replaceAll('*', '')} />
      ) : (
        <p className="small-muted">Making the picture…</p>
      )}
    </div>
  )
}

/** Loaded once, for the preview, sharing and saving: sharing must follow a press at once, or browsers refuse it. */
async function fetchPicture(path: string): Promise<Blob> {
  let answer: Response
  try {
    answer = await fetch(path, { credentials: 'include' })
  } catch (error) {
    throw new NetworkError(error)
  }
  return (await requireOk(answer)).blob()
}

function canShareFile(data: ShareData): boolean {
  return 'canShare' in navigator && navigator.canShare(data)
}

/** Changes with what a card shows, so that no cache on the way shows an old one. */
function versionOf(text: string): string {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0
  return (hash >>> 0).toString(36)
}
