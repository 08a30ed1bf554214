import * as z from 'zod/mini'
import { localPaymentMessages, PAYMENT_CODE, PHONE_METHODS } from './local-payments.ts'

/** Fields of a request to a phone. */
export const mobileRequest = {
  method: z.enum(PHONE_METHODS, localPaymentMessages.methodInvalid),
  phone: z
    .string(localPaymentMessages.phoneInvalid)
    .check(z.maxLength(40, localPaymentMessages.phoneInvalid)),
}

export const mobilePaymentInput = z.object({
  memorialId: z.optional(z.nullable(z.string())),
  ...mobileRequest,
})

export const paymentCodeInput = z.object({
  code: z
    .string(localPaymentMessages.codeInvalid)
    .check(z.trim(), z.regex(PAYMENT_CODE, localPaymentMessages.codeInvalid)),
})
