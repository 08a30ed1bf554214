ALTER TABLE `memorials` ADD `seen_at` integer;--> statement-breakpoint
CREATE INDEX `media_person` ON `media` (`memorial_id`,`contributor_id`,`created_at`,`id`);