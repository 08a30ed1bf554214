import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { COORDINATE_DECIMALS, MAP_IMAGE, MAP_ZOOM } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/memorials/location.ts'
import { pathOf } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Card } from '#client/ui/page.tsx'
import styles from './location-card.module.css'

/** Where the grave is: map image, label, coordinates, and links to two map services. */
export function LocationCard({
  id,
  memorialId,
  location,
  invite,
}: {
  id: string
  memorialId: string
  location: MemorialLocation
  /** Authorises the image URL while there is no session. */
  invite: string | undefined
}) {
  const [latitude = '', longitude = ''] = [location.latitude, location.longitude].map((degrees) =>
    degrees.toFixed(COORDINATE_DECIMALS),
  )
  const google = `https://www.google.com/maps?q=${latitude},${longitude}&z=${MAP_ZOOM}`
  const osm = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${MAP_ZOOM}/${latitude}/${longitude}`
  return (
    <Card id={id} title="Location">
      <a className={styles.map} href={google} target="_blank" rel="noopener noreferrer">
        <MapImage
          // Remount for another location: it has another image.
          key={`${latitude},${longitude}`}
          memorialId={memorialId}
          invite={invite}
          label={location.label ?? 'the burial place'}
        />
        <span className={styles.words}>
          {location.label && <span className={styles.label}>{location.label}</span>}
          <span className={`small-muted ${styles.coordinates}`}>
            {latitude}, {longitude}
          </span>
        </span>
      </a>
      <ul className={`tall-links ${styles.maps}`}>
        <li>
          <a href={google} target="_blank" rel="noopener noreferrer">
            Open in Google Maps
          </a>
        </li>
        <li>
          <a href={osm} target="_blank" rel="noopener noreferrer">
            Open in OpenStreetMap
          </a>
        </li>
      </ul>
    </Card>
  )
}

/** Map image of a location. Renders nothing if it fails to load: the text beside it has the same information. */
function MapImage({
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
