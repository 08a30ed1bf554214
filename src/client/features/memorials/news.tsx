import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '#shared/api.ts'
import { HOUR_MS } from '#shared/limits.ts'
import type { News } from '#shared/memorials.ts'
import { call } from '#client/lib/call.ts'
import { formatSince } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import styles from './news.module.css'

/** "12 new things from 4 people since Tuesday"; nothing if there is nothing new. */
export function NewsLine({ news }: { news: News | null }) {
  const [now] = useState(() => Date.now())
  if (!news || news.items === 0) return null
  const things = news.items === 1 ? '1 new thing' : `${news.items} new things`
  const people = news.people === 1 ? '1 person' : `${news.people} people`
  return (
    <p className={styles.news}>
      {things} from {people} since {formatSince(news.since, now)}
    </p>
  )
}

/** What was new when the owner opened the memorial. Tells the server that they have looked, at most once an hour without news. */
export function NewsOfVisit({ memorialId, news }: { memorialId: string; news: News | null }) {
  const client = useQueryClient()
  // It stays on the screen although the server counts from now on.
  const [atOpening] = useState(news)
  useEffect(() => {
    const isRecent = atOpening !== null && Date.now() - Date.parse(atOpening.since) < HOUR_MS
    if (isRecent && atOpening.items === 0) return
    const { queryKey } = endpointQuery(api.dashboard, {})
    call(api.markSeen, { params: { id: memorialId } }).then(
      () =>
        client.setQueryData(
          queryKey,
          (before) =>
            before && {
              memorials: before.memorials.map((one) =>
                one.id === memorialId ? { ...one, news: null, removedOn: null } : one,
              ),
            },
        ),
      // The next visit shows the same news again.
      () => null,
    )
  }, [client, memorialId, atOpening])
  return <NewsLine news={atOpening} />
}
