import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { qrCodePng, svgDataUri, saveImage } from '#client/lib/browser/image-files.ts'
import { links } from '#client/lib/links.ts'
import { showFailure } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor, ButtonLink } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import styles from './qr-button.module.css'

/** Generates the QR code for the gravestone and shows it in a dialog with downloads. */
export function QrButton({ memorialId, slug }: { memorialId: string; slug: string }) {
  const [open, setOpen] = useState(false)
  const make = useMutation({
    mutationFn: () => call(api.locationQr, { params: { id: memorialId } }),
    onSuccess: () => setOpen(true),
    onError: (error) => showFailure(messages.share.qrFailedTitle, error),
  })
  const svgUrl = make.data ? svgDataUri(make.data.svg) : ''
  return (
    <>
      <Button isBusy={make.isPending} onClick={() => make.mutate()}>
        QR code
      </Button>
      {open && make.data && (
        <Dialog title="QR code for the gravestone" onClose={() => setOpen(false)}>
          <img
            className={styles.code}
            src={svgUrl}
            width={240}
            height={240}
            alt={`QR code of ${make.data.url}`}
          />
          <p className={`small-muted ${styles.url}`}>{make.data.url}</p>
          <p>The QR code never changes, even if you make the memorial private later.</p>
          <DialogActions>
            <ButtonLink variant="primary" wide to={links.plaque(memorialId)}>
              Plaque for the grave
            </ButtonLink>
            <Button wide onClick={() => void saveImage(qrCodePng(make.data.svg), `${slug}-qr.png`)}>
              Download as a picture (PNG)
            </Button>
            <ButtonAnchor wide href={svgUrl} download={`${slug}-qr.svg`}>
              Download for the plaque (SVG)
            </ButtonAnchor>
            <Button variant="quiet" wide onClick={() => setOpen(false)}>
              Close
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  )
}
