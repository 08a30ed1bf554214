import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Media, MediaPage } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { AddMedia } from './add-media.tsx'
import { DeleteMedia } from './delete-media.tsx'
import { EditWords } from './edit-words.tsx'
import { changeMedia, forgetMedia } from './media.queries.ts'
import { PhotoGrid, PREVIEW } from './photo-grid.tsx'
import { PhotoViewer } from './photo-viewer.tsx'
import { Video, Voice } from './recording.tsx'
import { useGalleryMedia } from './use-gallery-media.ts'
import { useNear } from './use-near.ts'
import { usePhotoViewer } from './use-photo-viewer.ts'
import styles from './gallery.module.css'

/** Everything that was seen and heard of a person: photos first, then videos, then voices; and the place to add more. */
export function Gallery({
  id,
  memorialId,
  portraitId,
  contributor,
  first,
}: {
  id: string
  memorialId: string
  portraitId: string | null
  contributor: Contributor
  first?: MediaPage | undefined
}) {
  const client = useQueryClient()
  const section = useRef<HTMLElement>(null)
  const isNear = useNear(section)
  const of = { memorialId, portraitId, contributor, first }
  const loaded = useGalleryMedia(of, isNear)
  const { list, photos, videos, voices } = loaded
  const viewer = usePhotoViewer(of, loaded, `${id}-title`)
  const [deleting, setDeleting] = useState<Media | null>(null)
  const [editing, setEditing] = useState<Media | null>(null)

  // So that the photo looked at last has a square to return to.
  const [isAll, setAll] = useState(false)
  if (!isAll && viewer.index >= PREVIEW) setAll(true)

  return (
    <section ref={section} id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1} className={styles['title']}>
        Gallery
      </h2>
      {list.isError && (
        <Notice kind="error" title="The photos could not be loaded">
          <p>{errorText(list.error, messages.system.internal)}</p>
          <Button onClick={() => void list.refetch()}>Try again</Button>
        </Notice>
      )}
      {list.isSuccess && loaded.total + videos.length + voices.length === 0 && (
        <p className={styles['empty']}>
          {contributor.mayAdd
            ? 'No photos yet. One that you have may be one that nobody else has.'
            : 'No photos yet.'}
        </p>
      )}
      {photos.length > 0 && (
        <PhotoGrid
          photos={photos}
          total={loaded.total}
          invite={contributor.invite}
          all={isAll}
          onAll={() => setAll(true)}
          hasMore={loaded.hasMore}
          isLoadingMore={list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
        />
      )}
      {videos.length > 0 && <h3 className={styles['kind']}>Videos</h3>}
      {videos.map((item) => (
        <Video
          key={item.id}
          item={item}
          invite={contributor.invite}
          onEdit={setEditing}
          onDelete={setDeleting}
        />
      ))}
      {voices.length > 0 && <h3 className={styles['kind']}>Voices</h3>}
      {voices.map((item) => (
        <Voice
          key={item.id}
          item={item}
          invite={contributor.invite}
          onEdit={setEditing}
          onDelete={setDeleting}
        />
      ))}
      {contributor.mayAdd && (
        <AddMedia
          memorialId={memorialId}
          contributor={contributor}
          onEdit={setEditing}
          onAdded={() => void client.invalidateQueries({ queryKey: loaded.queryKey })}
        />
      )}
      {viewer.photo && (
        <PhotoViewer
          photo={viewer.photo}
          invite={contributor.invite}
          position={viewer.position}
          total={viewer.total}
          canMove={viewer.canMove}
          onMove={(by) => void viewer.move(by)}
          onClose={viewer.close}
          onEdit={setEditing}
          onDelete={setDeleting}
        />
      )}
      {editing && (
        <EditWords
          item={editing}
          onSaved={(item) => {
            setEditing(null)
            changeMedia(client, memorialId, (old) => (old.id === item.id ? item : old))
          }}
          onRefused={contributor.onRefused}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <DeleteMedia
          item={deleting}
          contributor={contributor}
          onClose={() => setDeleting(null)}
          onDeleted={(item) => {
            setDeleting(null)
            if (viewer.openId === item.id) viewer.close()
            forgetMedia(client, memorialId, item)
            contributor.refreshQuotas()
          }}
        />
      )}
    </section>
  )
}
