DROP INDEX `cache_purges_asked`;--> statement-breakpoint
ALTER TABLE `cache_purges` ADD `due_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `cache_purges` ADD `is_second` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `cache_purges_due` ON `cache_purges` (`is_urgent`,`due_at`,`tag`);