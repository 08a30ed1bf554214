import { useEffect, useRef, type RefObject } from 'react'

type DecisionName = 'show' | 'decline'
const DECISION_OF_KEY: Partial<Record<string, DecisionName>> = { s: 'show', d: 'decline' }
const STEP_OF_KEY: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/**
 * Keys for a list whose items have buttons with `data-decision`. They work only while the focus is in the list (WCAG 2.1.4): arrows move
 * between items, S and D press the buttons of the focused one. Once an item has gone, the next one has the focus, so that one can go on.
 */
export function useDecisionKeys(): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null)
  const focused = useRef(-1)
  useEffect(() => {
    function noteFocus(event: FocusEvent): void {
      const items = [...(list.current?.children ?? [])]
      focused.current = items.findIndex((item) => item.contains(event.target as Node))
    }
    function press(event: KeyboardEvent): void {
      const items = [...(list.current?.children ?? [])]
      const at = items.findIndex((item) => item.contains(event.target as Node))
      const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
      if (at === -1 || isInDialog || event.ctrlKey || event.metaKey || event.altKey) return
      const step = STEP_OF_KEY[event.key]
      const decision = DECISION_OF_KEY[event.key.toLowerCase()]
      if (step !== undefined) {
        event.preventDefault()
        buttonOf(items[at + step], 'show')?.focus()
      } else if (decision) buttonOf(items[at], decision)?.click()
    }
    document.addEventListener('focusin', noteFocus)
    document.addEventListener('keydown', press)
    return () => {
      document.removeEventListener('focusin', noteFocus)
      document.removeEventListener('keydown', press)
    }
  }, [])
  useEffect(() => {
    const items = list.current?.children
    if (!items?.length || focused.current === -1 || document.activeElement !== document.body) return
    buttonOf(items[Math.min(focused.current, items.length - 1)], 'show')?.focus()
  })
  return list
}

function buttonOf(item: Element | undefined, decision: DecisionName): HTMLElement | null {
  return item?.querySelector<HTMLElement>(`[data-decision="${decision}"]`) ?? null
}
