import { useCallback, useState, type ToggleEvent } from 'react'

/**
 * Whether a `<details>` is open, for what is inside to load only then; with the props that find out. Without `ref`, one that
 * somebody opened before the app had loaded would stay empty: its event is over.
 */
export function useDetails() {
  const [isOpen, setOpen] = useState(false)
  const ref = useCallback((details: HTMLDetailsElement | null) => {
    if (details?.open) setOpen(true)
  }, [])
  const onToggle = useCallback(
    ({ currentTarget }: ToggleEvent<HTMLDetailsElement>) => setOpen(currentTarget.open),
    [],
  )
  return { isOpen, details: { ref, onToggle } }
}
