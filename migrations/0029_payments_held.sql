DROP INDEX `payments_to_refund`;--> statement-breakpoint
CREATE INDEX `payments_to_refund` ON `payments` (`status`,`created_at`,`id`) WHERE "payments"."refund_reason" is not null;