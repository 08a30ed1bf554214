import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { MAP_IMAGE } from '#shared/limits.ts'
import { pathOf } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import styles from './location-card.module.css'

/** Map image of a location. Renders nothing if it fails to load: the text beside it has the same information. */
export function MapImage({
  memorialId,
  invite,
  label,
}: {
  memorialId: string
  invite: string | undefined
  label: string
}) {
  const { data: config } = useQuery(endpointQuery(api.config, {}))
  const [failed, setFailed] = useState(false)
  if (!config?.hasMapImages || failed) return null
  return (
    <img
      className={styles.picture}
      src={pathOf(api.locationMap, { params: { id: memorialId }, query: { invite } })}
      width={MAP_IMAGE.width}
      height={MAP_IMAGE.height}
      loading="lazy"
      decoding="async"
      alt={`Map of ${label}`}
      data-optional
      onError={() => setFailed(true)}
    />
  )
}
