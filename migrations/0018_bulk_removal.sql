ALTER TABLE `removed_items` ADD `removal_id` text;--> statement-breakpoint
CREATE INDEX `removed_items_removal` ON `removed_items` (`memorial_id`,`removal_id`,`removed_at`) WHERE "removed_items"."removal_id" is not null;--> statement-breakpoint
CREATE INDEX `contributors_named` ON `contributors` (`memorial_id`,`created_at`,`id`) WHERE "contributors"."is_guest" = 0;