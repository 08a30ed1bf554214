DROP INDEX `invite_tokens_live`;--> statement-breakpoint
ALTER TABLE `invite_tokens` ADD `name` text;--> statement-breakpoint
ALTER TABLE `invite_tokens` ADD `ends_at` integer;--> statement-breakpoint
ALTER TABLE `invite_tokens` ADD `pin_hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `invite_tokens_live` ON `invite_tokens` (`memorial_id`) WHERE "invite_tokens"."status" = 'ASSIGNED' and "invite_tokens"."name" is null;