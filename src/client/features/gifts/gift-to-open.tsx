import { useState } from 'react'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages.ts'
import { GIFT_TO_OPEN, readText, removeText } from '#client/lib/stored-text.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** Leads back to the gift for which somebody has just made an account. */
export function GiftToOpen() {
  const [code, setCode] = useState(() => readText(GIFT_TO_OPEN))
  if (code === null) return null
  return (
    <Notice title="You have a gift to open">
      <div className="row">
        <ButtonLink variant="primary" to={fillPath(paths.redeem, { code })}>
          Open it
        </ButtonLink>
        <Button
          onClick={() => {
            removeText(GIFT_TO_OPEN)
            setCode(null)
          }}
        >
          Not mine
        </Button>
      </div>
    </Notice>
  )
}
