import { COORDINATE_DECIMALS, MAP_ZOOM } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/location.ts'
import { Card } from '#client/ui/card.tsx'
import { MapImage } from './map-picture.tsx'
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
          <span className={styles.coordinates}>
            {latitude}, {longitude}
          </span>
        </span>
      </a>
      <ul className={styles.maps}>
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
