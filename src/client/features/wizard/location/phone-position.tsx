import { useState } from 'react'
import { COORDINATE_DECIMALS } from '#shared/limits.ts'
import { Button } from '#client/ui/button.tsx'
import type { Coordinates } from './map-link.ts'
import shared from '../wizard.module.css'
import styles from './step-location.module.css'

const WAIT_MS = 20_000

type Found =
  | { kind: 'idle' | 'looking' }
  | { kind: 'found'; metres: number }
  | { kind: 'failed'; why: string }

/** Asks the device for its position and shows the accuracy. */
export function PhonePosition({ onFound }: { onFound: (place: Coordinates) => void }) {
  const [state, setState] = useState<Found>({ kind: 'idle' })

  function look() {
    if (!('geolocation' in navigator)) {
      setState({ kind: 'failed', why: 'This device can’t tell where it is. Use a map link instead.' })
      return
    }
    setState({ kind: 'looking' })
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setState({ kind: 'found', metres: Math.max(1, Math.round(coords.accuracy)) })
        onFound({
          latitude: coords.latitude.toFixed(COORDINATE_DECIMALS),
          longitude: coords.longitude.toFixed(COORDINATE_DECIMALS),
        })
      },
      ({ code, PERMISSION_DENIED }) =>
        setState({
          kind: 'failed',
          why:
            code === PERMISSION_DENIED
              ? 'Location is turned off for this site. Turn it on in your browser’s settings, or use a map link.'
              : 'This device couldn’t find its location. Go outside and try again, or use a map link.',
        }),
      { enableHighAccuracy: true, timeout: WAIT_MS, maximumAge: 0 },
    )
  }

  return (
    <div className={styles.way}>
      <Button wide onClick={look} isBusy={state.kind === 'looking'}>
        {state.kind === 'looking' ? 'Looking for the position…' : 'Use this device’s position'}
      </Button>
      <p className={`small-muted ${styles.hint}`}>Stand at the grave, in the open.</p>
      <div aria-live="polite">
        {state.kind === 'found' && <p className={styles.result}>{`Found, within ${state.metres} m.`}</p>}
        {state.kind === 'failed' && <p className={`error-text ${shared.error}`}>{state.why}</p>}
      </div>
    </div>
  )
}
