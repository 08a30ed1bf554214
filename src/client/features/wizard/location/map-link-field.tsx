import type { ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { TextField } from '#client/ui/forms/field.tsx'
import { parseMapLink, type Coordinates } from './map-link.ts'
import styles from './step-location.module.css'

/** A pasted map link, or coordinates, and the position that is found in it. */
export function MapLinkField({
  id,
  label,
  value,
  error,
  onChange,
  children,
}: {
  id?: string
  label: string
  value: string
  error?: string | undefined
  onChange: (link: string, found: Coordinates | null) => void
  /** Shown behind a position that was found. */
  children?: (found: Coordinates) => ReactNode
}) {
  const found = parseMapLink(value)
  const isLost = value.trim() !== '' && !found
  return (
    <>
      <TextField
        {...(id !== undefined && { id })}
        label={label}
        hint="From Google Maps, Apple Maps, OpenStreetMap or a WhatsApp location."
        autoComplete="off"
        autoCapitalize="none"
        error={error ?? (isLost ? messages.location.noPosition : undefined)}
        value={value}
        onChange={({ target }) => onChange(target.value, parseMapLink(target.value))}
      />
      <p className={styles.result} aria-live="polite">
        {found && `Found: ${found.latitude}, ${found.longitude}`}
      </p>
      {found && children?.(found)}
    </>
  )
}

export function PlaceOnMap({ latitude, longitude }: Coordinates) {
  return (
    <p>
      <a
        href={`https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`}
        target="_blank"
        rel="noreferrer"
      >
        Look at this place on a map
      </a>
    </p>
  )
}
