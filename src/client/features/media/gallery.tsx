import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router-dom'
import { MEDIA_PAGE, THUMBNAIL_USUAL_BYTES } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { MEDIA_NOUN } from '#shared/media/media-types.ts'
import { photosToShow } from '#shared/messages.ts'
import { NEWS } from '#client/lib/links.ts'
import { useMediaRemoval } from '#client/lib/removed.ts'
import { useHydrated, useDataSaver } from '#client/lib/server-rendering.ts'
import { LoadError } from '#client/ui/notice.tsx'
import { ReportDialog } from '#client/ui/report-link.tsx'
import { ShowMoreForm } from '#client/ui/forms/show-more-form.tsx'
import type { AddMedia as AddMediaType } from './add-media.tsx'
import { changeMedia, removeMedia } from './media.queries.ts'
import { PHOTOS, thumbId } from './photo-address.ts'
import { PersonFilter } from './person-filter.tsx'
import { PhotoGrid, type MarksNew } from './photo-grid.tsx'
import { Video, AudioRecording } from './recording.tsx'
import { PREVIEW, useGalleryMedia, useNear, type GalleryOptions } from './use-gallery-media.ts'
import { usePhotoViewer } from './use-photo-viewer.ts'
import styles from './gallery.module.css'

/** Loaded on demand, on screens that don't bring it. */
const LazyAddMedia = lazy(async () => ({ default: (await import('./add-media.tsx')).AddMedia }))
export type AddMediaComponent = typeof AddMediaType | typeof LazyAddMedia
/** Loaded on demand: most visitors never need these. */
const EditMediaText = lazy(async () => ({ default: (await import('./edit-media.tsx')).EditMediaText }))
const ConfirmRemoval = lazy(async () => ({
  default: (await import('#client/ui/confirm-removal.tsx')).ConfirmRemoval,
}))
const PhotoViewer = lazy(async () => ({ default: (await loadViewer()).PhotoViewer }))

function loadViewer() {
  return import('./photo-viewer.tsx')
}

/** Preloads the viewer. An error shows when the viewer opens. */
function prepareViewer(): void {
  loadViewer().catch(() => null)
}

/** The gallery: photos first, then videos, then recordings, and the upload form. */
export function Gallery({
  id,
  newBadge,
  AddMedia = LazyAddMedia,
  ...options
}: GalleryOptions & { id: string; AddMedia?: AddMediaComponent | undefined } & MarksNew) {
  const { memorialId, contributor } = options
  const client = useQueryClient()
  const section = useRef<HTMLElement>(null)
  const isNear = useNear(section)
  const [person, setPerson] = useState<string | null>(null)
  const loaded = useGalleryMedia(options, isNear, person)
  const { list, photos, videos, recordings } = loaded
  const isEmpty = list.isSuccess && loaded.total + videos.length + recordings.length === 0
  // Their last file was deleted.
  if (isEmpty && person !== null && !list.isPlaceholderData) setPerson(null)
  const viewer = usePhotoViewer(options, loaded, `${id}-title`)
  const [editing, setEditing] = useState<Media | null>(null)
  const remove = useMediaRemoval(
    memorialId,
    (item) => {
      if (viewer.openId === item.id) viewer.close()
      removeMedia(client, memorialId, item)
      contributor.refreshQuotas()
    },
    { mayUndo: contributor.mayChange, onFailed: contributor.onRefused },
  )
  const [removing, setRemoving] = useState<Media | null>(null)
  const [reporting, setReporting] = useState<Media | null>(null)
  const shared = {
    invite: contributor.invite,
    onEdit: contributor.mayChange ? setEditing : null,
    onDelete: contributor.mayChange ? remove : setRemoving,
    onReport: setReporting,
    sender: contributor.sender,
    newBadge,
  }

  const { search, hash } = useLocation()
  const isHydrated = useHydrated()
  const isDataSaver = useDataSaver()
  // Without JavaScript the URL says it. What is new may be a photo.
  const [isAll, setAll] = useState(() => new URLSearchParams(search).has(PHOTOS) || hash === `#${NEWS}`)
  // So that the last viewed photo has a square for focus to return to.
  if (!isAll && viewer.index >= PREVIEW) setAll(true)

  return (
    <section ref={section} id={id} className={styles.gallery} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1} className={styles.title}>
        Gallery
      </h2>
      {loaded.people.length > 1 && (
        <PersonFilter people={loaded.people} person={person} onChoose={setPerson} />
      )}
      {list.isError && (
        <LoadError
          title="The photos could not be loaded"
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      {isEmpty && (
        <p className={styles.empty}>
          {contributor.mayAdd ? 'No photos yet. You may have one nobody else has.' : 'No photos yet.'}
        </p>
      )}
      {isDataSaver && !isAll && loaded.total > 0 && (
        <ShowMoreForm
          name={PHOTOS}
          value="all"
          target={id}
          onMore={() => {
            // The button disappears: the first photo takes the focus.
            flushSync(() => setAll(true))
            document.getElementById(thumbId(photos[0]?.id ?? ''))?.focus({ preventScroll: true })
          }}
        >
          {photosToShow(loaded.total, Math.min(loaded.total, MEDIA_PAGE) * THUMBNAIL_USUAL_BYTES)}
        </ShowMoreForm>
      )}
      {photos.length > 0 && (isAll || !isDataSaver) && (
        <PhotoGrid
          loaded={loaded}
          target={id}
          onNear={prepareViewer}
          invite={contributor.invite}
          all={isAll}
          onAll={() => setAll(true)}
          newBadge={newBadge}
        />
      )}
      {videos.length + recordings.length > 0 && (
        <div className={styles.kinds}>
          {videos.length > 0 && (
            <div>
              <h3 className={styles.kind}>Videos</h3>
              <div className={styles.items}>
                {videos.map((item) => (
                  <Video key={item.id} item={item} {...shared} />
                ))}
              </div>
            </div>
          )}
          {recordings.length > 0 && (
            <div>
              <h3 className={styles.kind}>Voices</h3>
              <div className={styles.items}>
                {recordings.map((item) => (
                  <AudioRecording key={item.id} item={item} {...shared} />
                ))}
              </div>
            </div>
          )}
        </div>
      )}
      {/* No placeholder for parts that load after a press. */}
      <Suspense>
        {contributor.mayAdd && (
          <AddMedia
            memorialId={memorialId}
            contributor={contributor}
            onEdit={setEditing}
            onAdded={() => void client.invalidateQueries({ queryKey: loaded.queryKey })}
          />
        )}
        {viewer.photo && isHydrated && <PhotoViewer photo={viewer.photo} viewer={viewer} {...shared} />}
        {reporting && (
          <ReportDialog
            noun={MEDIA_NOUN[reporting.type]}
            id={reporting.id}
            onClose={() => setReporting(null)}
          />
        )}
        {removing && (
          <ConfirmRemoval
            onConfirm={() => {
              setRemoving(null)
              remove(removing)
            }}
            onClose={() => setRemoving(null)}
          />
        )}
        {editing && (
          <EditMediaText
            item={editing}
            onSaved={(item) => {
              setEditing(null)
              changeMedia(client, memorialId, (old) => (old.id === item.id ? item : old))
            }}
            onRefused={contributor.onRefused}
            onClose={() => setEditing(null)}
          />
        )}
      </Suspense>
    </section>
  )
}
