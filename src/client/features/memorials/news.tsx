import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type MouseEvent, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { Comment } from '#shared/comments/comments.ts'
import { HOUR_MS } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import type { News } from '#shared/memorials/memorials.ts'
import { call } from '#client/lib/call.ts'
import { formatDate, formatSince } from '#client/lib/dates.ts'
import { links, NEWS } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import styles from './news.module.css'

export function hasNews(news: News | null): news is News {
  return news !== null && news.items > 0
}

/** "12 new things from 4 people since Tuesday", a link to the first of them; nothing if there is nothing new. */
export function NewsLine({
  memorialId,
  news,
  onOpen,
}: {
  memorialId: string
  news: News | null
  onOpen?: (event: MouseEvent) => void
}) {
  const [now] = useState(() => Date.now())
  // The server doesn't know this clock and time zone.
  const isHydrated = useHydrated()
  if (!hasNews(news)) return null
  const things = news.items === 1 ? '1 new thing' : `${news.items} new things`
  const people = news.people === 1 ? '1 person' : `${news.people} people`
  return (
    <p className={`tall-links ${styles.news}`}>
      <Link to={links.news(memorialId)} onClick={onOpen}>
        {things} from {people} since{' '}
        <span suppressHydrationWarning>
          {isHydrated ? formatSince(news.since, now) : formatDate(news.since)}
        </span>
      </Link>
    </p>
  )
}

/** What was new when the viewer opened this screen. It stays although the server counts from now on. */
export function useNewsAtOpening(news: News | null | undefined): News | null {
  const [atOpening, setAtOpening] = useState(news)
  if (atOpening === undefined && news !== undefined) setAtOpening(news)
  return atOpening ?? null
}

/** Returns a function that marks what others added since the viewer's last visit; everything else gets null. */
export function newBadge(news: News | null): (item: Media | Comment) => ReactNode {
  return (item) => {
    if (news === null || addedBy(item) === news.you || item.createdAt <= news.since) return null
    const isPhoto = 'type' in item && item.type === 'IMAGE'
    return (
      // A photo's link says it.
      <span className={isPhoto ? styles.overPhoto : styles.badge} aria-hidden={isPhoto || undefined} data-new>
        New
      </span>
    )
  }
}

/** Who added it; null for the owner. */
function addedBy(item: Media | Comment): string | null {
  if ('body' in item) return item.isOwner ? null : item.authorName
  return item.contributorName
}

/** What was new when somebody who looks after the memorial opened it. Tells the server that they have looked, at most once an hour without news. */
export function NewsOfVisit({ memorialId, news }: { memorialId: string; news: News | null }) {
  const client = useQueryClient()
  useEffect(() => {
    const isRecent = news !== null && Date.now() - Date.parse(news.since) < HOUR_MS
    if (isRecent && !hasNews(news)) return
    const { queryKey } = endpointQuery(api.dashboard, {})
    call(api.markSeen, { params: { id: memorialId } }).then(
      () =>
        client.setQueryData(
          queryKey,
          (before) =>
            before && {
              ...before,
              memorials: before.memorials.map((one) =>
                one.id === memorialId ? { ...one, news: null, removedOn: null } : one,
              ),
              ...(before.kept && {
                kept: before.kept.map((one) => (one.id === memorialId ? { ...one, news: null } : one)),
              }),
            },
        ),
      // The next visit shows the same news again.
      () => null,
    )
  }, [client, memorialId, news])
  useFirstNew(hasNews(news))
  return (
    <NewsLine
      memorialId={memorialId}
      news={news}
      onOpen={(event) => {
        event.preventDefault()
        // On a later page of a list, or gone since.
        if (!showFirstNew()) document.getElementById('photos')?.scrollIntoView()
      }}
    />
  )
}

/** What a person does who looks at something else. */
const INPUTS = ['pointerdown', 'wheel', 'keydown']

/** Shows the first new thing as soon as it has loaded, if the address asks for it and until the user does something else. */
function useFirstNew(isNews: boolean): void {
  const { hash } = useLocation()
  const isWanted = isNews && hash === `#${NEWS}`
  useEffect(() => {
    if (!isWanted || showFirstNew()) return undefined
    const loading = new MutationObserver(() => {
      if (showFirstNew()) stop()
    })
    function stop() {
      loading.disconnect()
      for (const type of INPUTS) removeEventListener(type, stop)
    }
    loading.observe(document.body, { childList: true, subtree: true })
    for (const type of INPUTS) addEventListener(type, stop)
    return stop
  }, [isWanted])
}

/** Scrolls to the first new thing on the page and focuses it. Returns false if none is there. */
function showFirstNew(): boolean {
  const place = document.querySelector('[data-new]')?.closest<HTMLElement>('li, figure')
  if (!place) return false
  place.scrollIntoView({ block: 'center' })
  const target = place.tabIndex === -1 && place.hasAttribute('tabindex') ? place : null
  const control = target ?? place.querySelector<HTMLElement>('a, button, audio, video')
  control?.focus({ preventScroll: true })
  return true
}
