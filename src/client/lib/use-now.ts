import { createContext, useContext, useState, useSyncExternalStore } from 'react'
import { MINUTE_MS } from '#shared/limits.ts'
import { useHydrated } from './server-rendering.ts'

/** The moment for which the server has written the page, in ms since 1970. */
export const WrittenForContext = createContext(0)

/** The current minute in ms since 1970, renewed while the screen is open. While a page hydrates, the moment that it was written for. */
export function useNow(): number {
  const writtenFor = useContext(WrittenForContext)
  return useSyncExternalStore(everyMinute, currentMinute, () => writtenFor)
}

/**
 * The moment at which this screen opened, for an order that must not change while somebody reads. While a page hydrates, the moment that it was
 * written for.
 */
export function useOpenedAt(): number {
  const isHydrated = useHydrated()
  const writtenFor = useContext(WrittenForContext)
  // The app may come long after its page.
  const [openedAt] = useState(() => Date.now() - (isHydrated ? 0 : performance.now()))
  return isHydrated ? openedAt : writtenFor
}

function currentMinute(): number {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
}

function everyMinute(onChange: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = () => {
    timer = setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS))
  }
  const tick = () => {
    onChange()
    wait()
  }
  wait()
  return () => clearTimeout(timer)
}
