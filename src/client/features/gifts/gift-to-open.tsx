import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { readText, removeText } from '#client/lib/browser/stored-text.ts'
import { GIFT_TO_OPEN } from './stored-gift.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** Leads back to the gift for which somebody has just made an account. */
export function GiftToOpen() {
  const [code, setCode] = useState(() => readText(GIFT_TO_OPEN))
  const { data } = useQuery({
    ...endpointQuery(api.gift, { params: { code: code ?? '' } }),
    enabled: code !== null,
  })
  // Somebody else may have opened it meanwhile.
  if (code === null || data?.gift.status !== 'READY') return null
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
          Dismiss
        </Button>
      </div>
    </Notice>
  )
}
