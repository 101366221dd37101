PRAGMA application_id = 0;
PRAGMA user_version = 0;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0008');
CREATE TABLE attempt (
	fingerprint VARCHAR NOT NULL, 
	failed INTEGER NOT NULL, 
	last_error TEXT NOT NULL, 
	last_at DATETIME NOT NULL, 
	CONSTRAINT pk_attempt PRIMARY KEY (fingerprint)
);
CREATE TABLE failure (
	event_id VARCHAR NOT NULL, 
	run_id VARCHAR NOT NULL, 
	job_id VARCHAR NOT NULL, 
	job_set VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	gang_id VARCHAR NOT NULL, 
	attempt INTEGER, 
	cluster_id VARCHAR NOT NULL, 
	cluster VARCHAR NOT NULL, 
	namespace VARCHAR NOT NULL, 
	pod_name VARCHAR NOT NULL, 
	pod_uid VARCHAR NOT NULL, 
	node VARCHAR NOT NULL, 
	occurrence VARCHAR NOT NULL, 
	amends VARCHAR, 
	category VARCHAR NOT NULL, 
	subcategory VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	advice VARCHAR, 
	matched BOOLEAN NOT NULL, 
	rules_revision VARCHAR NOT NULL, 
	exit_code INTEGER, 
	signal INTEGER, 
	container VARCHAR NOT NULL, 
	termination_reason VARCHAR NOT NULL, 
	user_code_ran BOOLEAN, 
	key_line TEXT NOT NULL, 
	occurred_at DATETIME NOT NULL, 
	observed_at DATETIME NOT NULL, 
	stored_at DATETIME NOT NULL, fingerprint VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_failure PRIMARY KEY (event_id)
);
INSERT INTO "failure" VALUES('7ae2bea134a3340d1ef0df838300a171','run-3','job-1','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-3','286df7dc-44d5-464f-b75e-d918eaacf0c0','','pod-failed',NULL,'unknown','','unknown',NULL,0,'d144e3e6d327158d',7,NULL,'main','Error',NULL,'Container main failed with exit code 7 because Error: ','2026-11-26 05:55:45.718341','2026-11-26 05:55:45.718341','2026-11-26 05:55:45.827155','v1:d24e1f6f9896b890');
INSERT INTO "failure" VALUES('6c170780e5a09fb125850f920cbba3ed','run-2','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-2','09ddc12b-4b6a-43b9-b035-5c6c63087673','','pod-failed',NULL,'code','','unknown',NULL,1,'d144e3e6d327158d',42,NULL,'main','Error',NULL,'Container main failed with exit code 42 because Error: ','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.827155','v1:2631aa8eb5bcf551');
INSERT INTO "failure" VALUES('93dcb28fa689b77b3126f1894e164124','run-1','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-1','5d0b0154-0910-47e6-bea4-bbd5157bd273','','pod-failed',NULL,'code','','unknown',NULL,1,'d144e3e6d327158d',42,NULL,'main','Error',NULL,'Container main failed with exit code 42 because Error: ','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.827155','v1:2631aa8eb5bcf551');
INSERT INTO "failure" VALUES('630c1a4fb0beedc298681a0f6c6372c4','run-0','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-0','6b456a8d-3655-499a-8808-d63ade979b73','','pod-failed',NULL,'code','','unknown',NULL,1,'d144e3e6d327158d',42,NULL,'main','Error',NULL,'Container main failed with exit code 42 because Error: ','2026-11-26 05:55:45.706291','2026-11-26 05:55:45.706291','2026-11-26 05:55:45.827155','v1:2631aa8eb5bcf551');
CREATE TABLE failure_detail (
	event_id VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	occurred_at DATETIME NOT NULL, 
	CONSTRAINT pk_failure_detail PRIMARY KEY (event_id, "key"), 
	CONSTRAINT fk_failure_detail_event_id FOREIGN KEY(event_id) REFERENCES failure (event_id) ON DELETE CASCADE
);
CREATE TABLE failure_info (
	event_id VARCHAR NOT NULL, 
	info BLOB NOT NULL, 
	CONSTRAINT pk_failure_info PRIMARY KEY (event_id), 
	CONSTRAINT fk_failure_info_event_id FOREIGN KEY(event_id) REFERENCES failure (event_id) ON DELETE CASCADE
);
INSERT INTO "failure_info" VALUES('630c1a4fb0beedc298681a0f6c6372c4',X'082A1A04636F646522046D61696E2A046D61696E32054572726F7240014A6C0A04636F6465180428013801424A0A04636F6465220B6F6E45786974436F6465732A1C636F6E7461696E6572206D61696E3A206578697420636F646520343232023432380142046D61696E520B636F6465233836643762304A106431343465336536643332373135386460015232080310031A2C6E6F7468696E67207361797320776869636820636F6E7461696E6572732077657265207375626D69747465645A380A064661696C6564220A426573744566666F72743A220A046D61696E1001180322076578616D706C652A0B080312054572726F72202A4801AA0138436F6E7461696E6572206D61696E206661696C65642077697468206578697420636F64652034322062656361757365204572726F723A200AC2011376313A32363331616138656235626366353531');
INSERT INTO "failure_info" VALUES('6c170780e5a09fb125850f920cbba3ed',X'082A1A04636F646522046D61696E2A046D61696E32054572726F7240014A6C0A04636F6465180428013801424A0A04636F6465220B6F6E45786974436F6465732A1C636F6E7461696E6572206D61696E3A206578697420636F646520343232023432380142046D61696E520B636F6465233836643762304A106431343465336536643332373135386460015232080310031A2C6E6F7468696E67207361797320776869636820636F6E7461696E6572732077657265207375626D69747465645A380A064661696C6564220A426573744566666F72743A220A046D61696E1001180322076578616D706C652A0B080312054572726F72202A4801AA0138436F6E7461696E6572206D61696E206661696C65642077697468206578697420636F64652034322062656361757365204572726F723A200AC2011376313A32363331616138656235626366353531');
INSERT INTO "failure_info" VALUES('7ae2bea134a3340d1ef0df838300a171',X'080722046D61696E2A046D61696E32054572726F7240014A1F0A07756E6B6E6F776E180428014A10643134346533653664333237313538645232080310031A2C6E6F7468696E67207361797320776869636820636F6E7461696E6572732077657265207375626D69747465645A380A064661696C6564220A426573744566666F72743A220A046D61696E1001180322076578616D706C652A0B080312054572726F7220074801AA0137436F6E7461696E6572206D61696E206661696C65642077697468206578697420636F646520372062656361757365204572726F723A200AC2011376313A64323465316636663938393662383930');
INSERT INTO "failure_info" VALUES('93dcb28fa689b77b3126f1894e164124',X'082A1A04636F646522046D61696E2A046D61696E32054572726F7240014A6C0A04636F6465180428013801424A0A04636F6465220B6F6E45786974436F6465732A1C636F6E7461696E6572206D61696E3A206578697420636F646520343232023432380142046D61696E520B636F6465233836643762304A106431343465336536643332373135386460015232080310031A2C6E6F7468696E67207361797320776869636820636F6E7461696E6572732077657265207375626D69747465645A380A064661696C6564220A426573744566666F72743A220A046D61696E1001180322076578616D706C652A0B080312054572726F72202A4801AA0138436F6E7461696E6572206D61696E206661696C65642077697468206578697420636F64652034322062656361757365204572726F723A200AC2011376313A32363331616138656235626366353531');
CREATE TABLE job (
	job_id VARCHAR NOT NULL, 
	reversed_id VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	job_set VARCHAR NOT NULL, 
	cluster VARCHAR NOT NULL, 
	namespace VARCHAR NOT NULL, 
	first_at DATETIME NOT NULL, 
	last_end_at DATETIME, 
	last_at DATETIME NOT NULL, 
	runs INTEGER NOT NULL, 
	latest_run VARCHAR NOT NULL, 
	latest_run_at DATETIME NOT NULL, 
	phase VARCHAR, 
	action VARCHAR, 
	failed_at DATETIME, 
	failed_run VARCHAR, 
	decided_event VARCHAR, 
	decided_event_at DATETIME, 
	category VARCHAR, 
	subcategory VARCHAR, 
	origin VARCHAR, 
	container VARCHAR, 
	exit_code INTEGER, 
	state VARCHAR NOT NULL, 
	CONSTRAINT pk_job PRIMARY KEY (job_id)
);
INSERT INTO "job" VALUES('job-0','0-boj','physics','','real','default','2026-11-26 05:55:45.706291','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.709688',3,'run-2','2026-11-26 05:55:45.709688','failed','fail','2026-11-26 05:55:45.706291','run-0','93dcb28fa689b77b3126f1894e164124','2026-11-26 05:55:45.709688','code','','unknown','main',42,'still-failed');
INSERT INTO "job" VALUES('job-1','1-boj','physics','','real','default','2026-11-26 05:55:45.718341','2026-11-26 05:55:45.718341','2026-11-26 05:55:45.718341',1,'run-3','2026-11-26 05:55:45.718341','failed','fail','2026-11-26 05:55:45.718341','run-3','7ae2bea134a3340d1ef0df838300a171','2026-11-26 05:55:45.718341','unknown','','unknown','main',7,'still-failed');
CREATE TABLE resource (
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	uid VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	created_by VARCHAR NOT NULL, 
	changed_at DATETIME NOT NULL, 
	changed_by VARCHAR NOT NULL, 
	CONSTRAINT pk_resource PRIMARY KEY (kind, name)
);
INSERT INTO "resource" VALUES('RetryPolicy','codes','94556f31-ff81-4940-ba77-dd50377e4c22',1,'apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: codes}
spec:
  rules:
  - {name: code, action: Retry, retryLimit: 2, onExitCodes: {operator: In, values: [42]}}
','2026-11-26 05:55:43.090014','ann','2026-11-26 05:55:43.090014','ann');
INSERT INTO "resource" VALUES('Queue','physics','f2dc9fa4-3908-48c1-8984-9a8a59045abf',1,'apiVersion: armadaproject.io/v1
kind: Queue
metadata: {name: physics}
spec: {retryPolicies: [codes]}
','2026-11-26 05:55:43.090014','ann','2026-11-26 05:55:43.090014','ann');
CREATE TABLE resource_history (
	revision INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	uid VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	change VARCHAR NOT NULL, 
	text TEXT, 
	at DATETIME NOT NULL, 
	"by" VARCHAR NOT NULL, 
	note TEXT NOT NULL
);
INSERT INTO "resource_history" VALUES(1,'RetryPolicy','codes','94556f31-ff81-4940-ba77-dd50377e4c22',1,'created','apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: codes}
spec:
  rules:
  - {name: code, action: Retry, retryLimit: 2, onExitCodes: {operator: In, values: [42]}}
','2026-11-26 05:55:43.090014','ann','');
INSERT INTO "resource_history" VALUES(2,'Queue','physics','f2dc9fa4-3908-48c1-8984-9a8a59045abf',1,'created','apiVersion: armadaproject.io/v1
kind: Queue
metadata: {name: physics}
spec: {retryPolicies: [codes]}
','2026-11-26 05:55:43.090014','ann','');
CREATE TABLE rule_set (
	cluster_id VARCHAR NOT NULL, 
	cluster VARCHAR NOT NULL, 
	revision VARCHAR NOT NULL, 
	categories JSON NOT NULL, 
	loaded_at DATETIME NOT NULL, 
	CONSTRAINT pk_rule_set PRIMARY KEY (cluster_id)
);
INSERT INTO "rule_set" VALUES('76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','d144e3e6d327158d','["code", "log", "unknown", "volume"]','2026-11-26 05:55:45.642614');
CREATE TABLE run (
	run_id VARCHAR NOT NULL, 
	job_id VARCHAR NOT NULL, 
	job_set VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	gang_id VARCHAR NOT NULL, 
	attempt INTEGER, 
	cluster_id VARCHAR NOT NULL, 
	cluster VARCHAR NOT NULL, 
	namespace VARCHAR NOT NULL, 
	pod_name VARCHAR NOT NULL, 
	pod_uid VARCHAR NOT NULL, 
	node VARCHAR NOT NULL, 
	phase VARCHAR, 
	phase_at DATETIME, 
	first_occurred_at DATETIME NOT NULL, spool_id VARCHAR, spool_sequence BIGINT, reversed_id VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_run PRIMARY KEY (run_id)
);
INSERT INTO "run" VALUES('run-0','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-0','6b456a8d-3655-499a-8808-d63ade979b73','','failed','2026-11-26 05:55:45.706291','2026-11-26 05:55:45.706291',NULL,NULL,'0-nur');
INSERT INTO "run" VALUES('run-1','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-1','5d0b0154-0910-47e6-bea4-bbd5157bd273','','failed','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.709688',NULL,NULL,'1-nur');
INSERT INTO "run" VALUES('run-2','job-0','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-2','09ddc12b-4b6a-43b9-b035-5c6c63087673','','failed','2026-11-26 05:55:45.709688','2026-11-26 05:55:45.709688',NULL,NULL,'2-nur');
INSERT INTO "run" VALUES('run-3','job-1','','physics','',NULL,'76070d3a-094d-5a78-8f7b-9188b1b8b20b','real','default','pod-3','286df7dc-44d5-464f-b75e-d918eaacf0c0','','failed','2026-11-26 05:55:45.718341','2026-11-26 05:55:45.718341',NULL,NULL,'3-nur');
CREATE TABLE verdict (
	run_id VARCHAR NOT NULL, 
	job_id VARCHAR NOT NULL, 
	event_id VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	policy VARCHAR, 
	rule_key VARCHAR, 
	delay_seconds FLOAT NOT NULL, 
	not_before DATETIME, 
	avoid_nodes JSON NOT NULL, 
	decided_at DATETIME NOT NULL, 
	explanation JSON NOT NULL, charge VARCHAR, undisturbed BOOLEAN DEFAULT 1 NOT NULL, backoff_base INTEGER DEFAULT '0' NOT NULL, shadow_key VARCHAR, began_at DATETIME, lasted_seconds FLOAT, 
	CONSTRAINT pk_verdict PRIMARY KEY (run_id), 
	CONSTRAINT fk_verdict_event_id FOREIGN KEY(event_id) REFERENCES failure (event_id)
);
INSERT INTO "verdict" VALUES('run-0','job-0','630c1a4fb0beedc298681a0f6c6372c4','retry','rule','codes','codes/code',0.0,'2026-11-26 05:55:45.827155','[]','2026-11-26 05:55:45.827155','{"action": "retry", "reason": "rule", "mode": "policies", "lineage": "job job-0", "policies": ["codes"], "versions": [1], "dialect": "armadaproject.io/v1", "decider": {"policy": "codes", "number": 1, "label": "code", "rule": "code (onExitCodes In [42])", "key": "codes/code", "action": "Retry", "matched": {"matcher": "onExitCodes", "where": "container main: exit code", "text": "42", "trust": "system", "container": "main"}}, "not_applied": [], "charge": "application", "limits": [{"counts": "retries granted under codes/code", "used": 0, "limit": 2, "source": "retryLimit of the rule", "reason": "rule-limit", "allowed": true, "unit": "times"}, {"counts": "all retries granted", "used": 0, "limit": 20, "source": "globalMaxRetries", "reason": "global-limit", "allowed": true, "unit": "times"}], "ledger": {"counts": "retries granted under codes/code", "used": 0, "limit": 2, "source": "retryLimit of the rule", "reason": "rule-limit", "allowed": true, "unit": "times"}, "delay": {"number": 1, "initial_seconds": 0.0, "multiplier": 2.0, "maximum_seconds": 600.0, "grown_seconds": 0.0, "backoff_seconds": 0.0, "jitter": 0.0, "jitter_seconds": 0.0, "reset": false, "grace_seconds": null, "seconds": 0.0}, "not_before": "2026-11-26T05:55:45.827155Z", "avoid_nodes": [], "avoid_strength": "required", "mutation": null, "time_factor": null, "impossible": "", "shadow": null, "notes": []}','application',1,0,NULL,'2026-11-26 05:55:45.706291',NULL);
INSERT INTO "verdict" VALUES('run-1','job-0','93dcb28fa689b77b3126f1894e164124','retry','rule','codes','codes/code',0.0,'2026-11-26 05:55:45.827155','[]','2026-11-26 05:55:45.827155','{"action": "retry", "reason": "rule", "mode": "policies", "lineage": "job job-0", "policies": ["codes"], "versions": [1], "dialect": "armadaproject.io/v1", "decider": {"policy": "codes", "number": 1, "label": "code", "rule": "code (onExitCodes In [42])", "key": "codes/code", "action": "Retry", "matched": {"matcher": "onExitCodes", "where": "container main: exit code", "text": "42", "trust": "system", "container": "main"}}, "not_applied": [], "charge": "application", "limits": [{"counts": "retries granted under codes/code", "used": 1, "limit": 2, "source": "retryLimit of the rule", "reason": "rule-limit", "allowed": true, "unit": "times"}, {"counts": "all retries granted", "used": 1, "limit": 20, "source": "globalMaxRetries", "reason": "global-limit", "allowed": true, "unit": "times"}], "ledger": {"counts": "retries granted under codes/code", "used": 1, "limit": 2, "source": "retryLimit of the rule", "reason": "rule-limit", "allowed": true, "unit": "times"}, "delay": {"number": 2, "initial_seconds": 0.0, "multiplier": 2.0, "maximum_seconds": 600.0, "grown_seconds": 0.0, "backoff_seconds": 0.0, "jitter": 0.0, "jitter_seconds": 0.0, "reset": false, "grace_seconds": null, "seconds": 0.0}, "not_before": "2026-11-26T05:55:45.827155Z", "avoid_nodes": [], "avoid_strength": "required", "mutation": null, "time_factor": null, "impossible": "", "shadow": null, "notes": []}','application',1,0,NULL,'2026-11-26 05:55:45.709688',NULL);
INSERT INTO "verdict" VALUES('run-2','job-0','6c170780e5a09fb125850f920cbba3ed','fail','rule-limit','codes','codes/code',0.0,NULL,'[]','2026-11-26 05:55:45.827155','{"action": "fail", "reason": "rule-limit", "mode": "policies", "lineage": "job job-0", "policies": ["codes"], "versions": [1], "dialect": "armadaproject.io/v1", "decider": {"policy": "codes", "number": 1, "label": "code", "rule": "code (onExitCodes In [42])", "key": "codes/code", "action": "Retry", "matched": {"matcher": "onExitCodes", "where": "container main: exit code", "text": "42", "trust": "system", "container": "main"}}, "not_applied": [], "charge": "application", "limits": [{"counts": "retries granted under codes/code", "used": 2, "limit": 2, "source": "retryLimit of the rule", "reason": "rule-limit", "allowed": false, "unit": "times"}, {"counts": "all retries granted", "used": 2, "limit": 20, "source": "globalMaxRetries", "reason": "global-limit", "allowed": true, "unit": "times"}], "ledger": null, "delay": null, "not_before": null, "avoid_nodes": [], "avoid_strength": "required", "mutation": null, "time_factor": null, "impossible": "", "shadow": null, "notes": []}',NULL,1,0,NULL,'2026-11-26 05:55:45.709688',NULL);
INSERT INTO "verdict" VALUES('run-3','job-1','7ae2bea134a3340d1ef0df838300a171','fail','default-action','codes','codes/default',0.0,NULL,'[]','2026-11-26 05:55:45.827155','{"action": "fail", "reason": "default-action", "mode": "policies", "lineage": "job job-1", "policies": ["codes"], "versions": [1], "dialect": "armadaproject.io/v1", "decider": {"policy": "codes", "number": null, "label": "", "rule": "", "key": "codes/default", "action": "Fail", "matched": null}, "not_applied": [{"policy": "codes", "number": 1, "rule": "code (onExitCodes In [42])", "why": "the exit code of container main is 7"}], "charge": "application", "limits": [{"counts": "retries granted under codes/default", "used": 0, "limit": 20, "source": "globalMaxRetries", "reason": "global-limit", "allowed": true, "unit": "times"}, {"counts": "all retries granted", "used": 0, "limit": 20, "source": "globalMaxRetries", "reason": "global-limit", "allowed": true, "unit": "times"}], "ledger": null, "delay": null, "not_before": null, "avoid_nodes": [], "avoid_strength": "required", "mutation": null, "time_factor": null, "impossible": "", "shadow": null, "notes": []}',NULL,1,0,NULL,'2026-11-26 05:55:45.718341',NULL);
CREATE INDEX ix_run_job_id_first_occurred_at ON run (job_id, first_occurred_at);
CREATE INDEX ix_failure_run_id ON failure (run_id);
CREATE INDEX ix_failure_job_id_occurred_at ON failure (job_id, occurred_at);
CREATE INDEX ix_verdict_job_id_action_rule_key ON verdict (job_id, action, rule_key);
CREATE INDEX ix_verdict_event_id ON verdict (event_id);
CREATE INDEX ix_verdict_decided_at ON verdict (decided_at);
CREATE INDEX ix_attempt_last_at ON attempt (last_at);
CREATE INDEX ix_job_last_at ON job (last_at);
CREATE INDEX ix_job_queue_last_at ON job (queue, last_at);
CREATE INDEX ix_job_job_set_last_at ON job (job_set, last_at);
CREATE INDEX ix_run_first_occurred_at ON run (first_occurred_at);
CREATE INDEX ix_run_queue_first_occurred_at ON run (queue, first_occurred_at);
CREATE INDEX ix_run_job_set_first_occurred_at ON run (job_set, first_occurred_at);
CREATE INDEX ix_run_node_first_occurred_at ON run (node, first_occurred_at);
CREATE INDEX ix_failure_occurred_at ON failure (occurred_at);
CREATE INDEX ix_failure_queue_occurred_at ON failure (queue, occurred_at);
CREATE INDEX ix_failure_job_set_occurred_at ON failure (job_set, occurred_at);
CREATE INDEX ix_failure_node_occurred_at ON failure (node, occurred_at);
CREATE INDEX ix_failure_category_occurred_at ON failure (category, occurred_at);
CREATE INDEX ix_job_reversed_id ON job (reversed_id);
CREATE INDEX ix_run_reversed_id ON run (reversed_id);
CREATE INDEX ix_run_pod_name_namespace ON run (pod_name, namespace);
CREATE INDEX ix_job_state_last_at ON job (state, last_at) WHERE failed_at IS NOT NULL;
CREATE INDEX ix_job_category_last_at ON job (category, last_at) WHERE category IS NOT NULL;
CREATE INDEX ix_failure_fingerprint_occurred_at ON failure (fingerprint, occurred_at);
CREATE INDEX ix_failure_detail_key_value_occurred_at ON failure_detail ("key", value, occurred_at);
CREATE UNIQUE INDEX ix_resource_history_kind_name_version ON resource_history (kind, name, version);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('resource_history',2);
COMMIT;
