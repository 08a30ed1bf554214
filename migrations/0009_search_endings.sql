CREATE TABLE `search_endings` (
	`place` text NOT NULL,
	`ending` text NOT NULL,
	`subject_id` text NOT NULL,
	PRIMARY KEY(`place`, `ending`, `subject_id`)
) WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `search_positions` (
	`position` integer PRIMARY KEY NOT NULL
);--> statement-breakpoint
CREATE INDEX `payments_target` ON `payments` (`target_memorial_id`,`memorial_id`);--> statement-breakpoint
CREATE INDEX `payments_to_refund` ON `payments` (`status`,`created_at`,`id`) WHERE "payments"."refund_reason" is not null and "payments"."status" = 'PAID';--> statement-breakpoint
INSERT INTO search_positions
  WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 400) SELECT n FROM counted;--> statement-breakpoint
INSERT INTO search_endings SELECT 'memorial', substr(lower(honouree_full_name), position), id
  FROM memorials JOIN search_positions ON position <= length(honouree_full_name) ORDER BY 2, 3;--> statement-breakpoint
INSERT INTO search_endings SELECT 'slug', substr(lower(slug), position), id
  FROM memorials JOIN search_positions ON position <= length(slug) ORDER BY 2, 3;--> statement-breakpoint
INSERT INTO search_endings SELECT 'email', substr(lower(email), position), id
  FROM users JOIN search_positions ON position <= length(email) ORDER BY 2, 3;--> statement-breakpoint
INSERT INTO search_endings SELECT 'person', substr(lower(first_name || ' ' || last_name), position), id
  FROM users JOIN search_positions ON position <= length(first_name || ' ' || last_name) ORDER BY 2, 3;--> statement-breakpoint
INSERT INTO search_endings SELECT 'payment', substr(lower(id), position), id
  FROM payments JOIN search_positions ON position <= length(id) ORDER BY 2, 3;--> statement-breakpoint
CREATE TRIGGER memorials_found AFTER INSERT ON memorials BEGIN
  INSERT INTO search_endings SELECT 'memorial', substr(lower(new.honouree_full_name), position), new.id
    FROM search_positions WHERE position <= length(new.honouree_full_name);
  INSERT INTO search_endings SELECT 'slug', substr(lower(new.slug), position), new.id
    FROM search_positions WHERE position <= length(new.slug);
END;--> statement-breakpoint
CREATE TRIGGER memorials_lost AFTER DELETE ON memorials BEGIN
  DELETE FROM search_endings WHERE place = 'memorial' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.honouree_full_name), position) FROM search_positions WHERE position <= length(old.honouree_full_name));
  DELETE FROM search_endings WHERE place = 'slug' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.slug), position) FROM search_positions WHERE position <= length(old.slug));
END;--> statement-breakpoint
CREATE TRIGGER memorials_memorial_changed AFTER UPDATE OF honouree_full_name ON memorials WHEN old.honouree_full_name <> new.honouree_full_name BEGIN
  DELETE FROM search_endings WHERE place = 'memorial' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.honouree_full_name), position) FROM search_positions WHERE position <= length(old.honouree_full_name));
  INSERT INTO search_endings SELECT 'memorial', substr(lower(new.honouree_full_name), position), new.id
    FROM search_positions WHERE position <= length(new.honouree_full_name);
END;--> statement-breakpoint
CREATE TRIGGER memorials_slug_changed AFTER UPDATE OF slug ON memorials WHEN old.slug <> new.slug BEGIN
  DELETE FROM search_endings WHERE place = 'slug' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.slug), position) FROM search_positions WHERE position <= length(old.slug));
  INSERT INTO search_endings SELECT 'slug', substr(lower(new.slug), position), new.id
    FROM search_positions WHERE position <= length(new.slug);
END;--> statement-breakpoint
CREATE TRIGGER users_found AFTER INSERT ON users BEGIN
  INSERT INTO search_endings SELECT 'email', substr(lower(new.email), position), new.id
    FROM search_positions WHERE position <= length(new.email);
  INSERT INTO search_endings SELECT 'person', substr(lower(new.first_name || ' ' || new.last_name), position), new.id
    FROM search_positions WHERE position <= length(new.first_name || ' ' || new.last_name);
END;--> statement-breakpoint
CREATE TRIGGER users_lost AFTER DELETE ON users BEGIN
  DELETE FROM search_endings WHERE place = 'email' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.email), position) FROM search_positions WHERE position <= length(old.email));
  DELETE FROM search_endings WHERE place = 'person' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.first_name || ' ' || old.last_name), position) FROM search_positions WHERE position <= length(old.first_name || ' ' || old.last_name));
END;--> statement-breakpoint
CREATE TRIGGER users_email_changed AFTER UPDATE OF email ON users WHEN old.email <> new.email BEGIN
  DELETE FROM search_endings WHERE place = 'email' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.email), position) FROM search_positions WHERE position <= length(old.email));
  INSERT INTO search_endings SELECT 'email', substr(lower(new.email), position), new.id
    FROM search_positions WHERE position <= length(new.email);
END;--> statement-breakpoint
CREATE TRIGGER users_person_changed AFTER UPDATE OF first_name, last_name ON users WHEN old.first_name <> new.first_name OR old.last_name <> new.last_name BEGIN
  DELETE FROM search_endings WHERE place = 'person' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.first_name || ' ' || old.last_name), position) FROM search_positions WHERE position <= length(old.first_name || ' ' || old.last_name));
  INSERT INTO search_endings SELECT 'person', substr(lower(new.first_name || ' ' || new.last_name), position), new.id
    FROM search_positions WHERE position <= length(new.first_name || ' ' || new.last_name);
END;--> statement-breakpoint
CREATE TRIGGER payments_found AFTER INSERT ON payments BEGIN
  INSERT INTO search_endings SELECT 'payment', substr(lower(new.id), position), new.id
    FROM search_positions WHERE position <= length(new.id);
END;--> statement-breakpoint
CREATE TRIGGER payments_lost AFTER DELETE ON payments BEGIN
  DELETE FROM search_endings WHERE place = 'payment' AND subject_id = old.id AND ending IN (
    SELECT substr(lower(old.id), position) FROM search_positions WHERE position <= length(old.id));
END;
