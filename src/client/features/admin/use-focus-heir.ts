import { useLayoutEffect, useRef } from 'react'

/** For a button that unmounts when its action succeeds: if it had the focus, its row takes it. */
export function useFocusRow() {
  const ref = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const button = ref.current
    return () => {
      if (button && document.activeElement === button) button.closest<HTMLElement>('tr, li')?.focus()
    }
  }, [])
  return ref
}
