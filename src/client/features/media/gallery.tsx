import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Media, MediaPage } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { AddMedia } from './add-media.tsx'
import { DeleteMedia } from './delete-media.tsx'
import { EditWords } from './edit-words.tsx'
import { mediaQuery, withChanged, withoutMedia } from './media.queries.ts'
import { PhotoGrid, PREVIEW } from './photo-grid.tsx'
import { PhotoViewer } from './photo-viewer.tsx'
import { Video, Voice } from './recording.tsx'
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
  const options = mediaQuery(memorialId, contributor, first)
  const list = useInfiniteQuery(options)
  const media = list.data?.pages.flatMap((page) => page.media) ?? []
  const ofType = (type: Media['type']) => media.filter((item) => item.type === type)
  // The portrait stands at the head of the page already.
  const photos = ofType('IMAGE').filter((item) => item.id !== portraitId)
  const [videos, voices] = [ofType('VIDEO'), ofType('AUDIO')]
  const viewer = usePhotoViewer(photos)
  const [deleting, setDeleting] = useState<Media | null>(null)
  const [editing, setEditing] = useState<Media | null>(null)

  // The whole list, once somebody comes near: how many photos there are, and the videos and voices that stand behind them.
  const section = useRef<HTMLElement>(null)
  const isNear = useNear(section)
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const isWanted = isNear || viewer.openId !== null
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [isWanted, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])

  // So that the photo looked at last has a square to return to.
  const [isAll, setAll] = useState(false)
  if (!isAll && viewer.index >= PREVIEW) setAll(true)

  return (
    <section ref={section} id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={styles['title']}>
        Gallery
      </h2>
      {list.isError && (
        <Notice kind="error" title="The photos could not be loaded">
          <p>{errorText(list.error, messages.system.internal)}</p>
          <Button onClick={() => void list.refetch()}>Try again</Button>
        </Notice>
      )}
      {list.isSuccess && photos.length + videos.length + voices.length === 0 && (
        <p className={styles['empty']}>
          {contributor.mayAdd
            ? 'No photos yet. One that you have may be one that nobody else has.'
            : 'No photos yet.'}
        </p>
      )}
      {photos.length > 0 && (
        <PhotoGrid
          photos={photos}
          invite={contributor.invite}
          all={isAll}
          onAll={() => setAll(true)}
          hasMore={hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onMore={() => void fetchNextPage()}
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
          onAdded={() => void client.invalidateQueries({ queryKey: options.queryKey })}
        />
      )}
      {viewer.index >= 0 && (
        <PhotoViewer
          photos={photos}
          invite={contributor.invite}
          index={viewer.index}
          hasMore={hasNextPage}
          onShow={viewer.show}
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
            client.setQueryData(options.queryKey, (pages) => withChanged(pages, item))
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
            client.setQueryData(options.queryKey, (pages) => withoutMedia(pages, item.id))
            contributor.refreshQuotas()
          }}
        />
      )}
    </section>
  )
}
