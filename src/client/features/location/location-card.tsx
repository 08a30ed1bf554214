import { COORDINATE_DECIMALS, MAP_ZOOM } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/location.ts'
import { Card } from '#client/ui/card.tsx'
import styles from './location-card.module.css'

/** Where the grave is: in words and numbers, with a way to two maps. No picture is fetched from a third party. */
export function LocationCard({ id, location }: { id: string; location: MemorialLocation }) {
  const [latitude, longitude] = [location.latitude, location.longitude].map((degrees) =>
    degrees.toFixed(COORDINATE_DECIMALS),
  )
  const google = `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}&zoom=${MAP_ZOOM}`
  const osm = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${MAP_ZOOM}/${latitude}/${longitude}`
  return (
    <Card id={id} title="Location">
      {location.label && <p className={styles['label']}>{location.label}</p>}
      <p className={styles['coordinates']}>
        {latitude}, {longitude}
      </p>
      <ul className={styles['maps']}>
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
