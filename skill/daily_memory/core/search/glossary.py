"""What developers call things in Chinese and in English: the dictionary that is always there.

An entry is a Chinese word and what it is called in English, the likeliest first, as developers mean
it: 熔断 is a circuit breaker, not a fuse. Nothing is taken from another dictionary. A search loads
it when its question and some of the memory are in different languages (`core.search.translation`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from daily_memory.core.search import text
from daily_memory.core.search.synonyms import GROUPS

# The terms of the trade, beside those that `core.search.synonyms` has.
TECHNICAL = """
方法 method, way; 常量 constant; 参数 parameter, argument, param; 实参 argument; 形参 parameter
返回值 return value; 返回 return; 类 class; 子类 subclass; 父类 superclass, parent class
基类 base class; 抽象类 abstract class; 抽象 abstract, abstraction; 对象 object; 实例 instance
实例化 instantiate; 接口 interface, api, endpoint; 属性 property, attribute; 字段 field, column
成员 member; 构造函数 constructor; 析构 destructor; 继承 inherit, inheritance
多态 polymorphism, polymorphic; 封装 encapsulation, encapsulate, wrap; 重载 overload
重写 override, rewrite; 覆盖 overwrite, override, cover; 泛型 generic, generics
枚举 enum, enumeration; 结构体 struct; 联合类型 union type; 指针 pointer; 空指针 null pointer
引用 reference; 空值 null, empty value; 字符 character; 字符集 charset, character set; 字节 byte
字节序 byte order, endian; 整数 integer, int; 浮点数 float, floating point
浮点 floating point, float; 精度 precision; 布尔 boolean, bool; 列表 list; 元组 tuple
字典 dictionary, dict; 映射 map, mapping; 集合 set, collection; 链表 linked list; 栈 stack; 堆 heap
双端队列 deque; 优先队列 priority queue; 树 tree; 二叉树 binary tree; 红黑树 red-black tree
图 graph, diagram; 哈希 hash; 哈希表 hash table, hashmap; 散列 hash; 排序 sort, order, ordering
查找 find, lookup, search; 遍历 traverse, iterate, traversal; 迭代 iterate, iteration
迭代器 iterator; 生成器 generator; 循环 loop, cycle; 死循环 infinite loop
循环依赖 circular dependency; 循环引用 circular reference; 递归 recursion, recursive
条件 condition; 判断 check, condition; 表达式 expression; 语句 statement; 语法 syntax, grammar
语法糖 syntactic sugar; 语法树 syntax tree, ast; 运算符 operator; 赋值 assign, assignment
声明 declare, declaration; 定义 define, definition; 初始化 initialize, initialization, init
作用域 scope; 命名空间 namespace; 命名 naming, name; 闭包 closure
匿名函数 anonymous function, lambda; 高阶函数 higher-order function; 纯函数 pure function
副作用 side effect; 装饰器 decorator; 注解 annotation; 注释 comment; 反射 reflection
元编程 metaprogramming; 宏 macro; 内联 inline; 类型推断 type inference
类型检查 type check, type checking; 类型转换 cast, type conversion; 强制转换 cast; 深拷贝 deep copy
浅拷贝 shallow copy; 拷贝 copy; 复制 copy, replicate; 克隆 clone; 不可变 immutable; 可变 mutable
线程安全 thread safe, thread-safe; 序列化 serialization, serialize
反序列化 deserialization, deserialize; 解析 parse, parsing, resolve; 解析器 parser, resolver
回溯 backtrack; 帧率 frame rate, fps
词法分析 lexer, lexical analysis; 编译器 compiler; 解释器 interpreter; 字节码 bytecode
虚拟机 virtual machine, vm; 运行时 runtime; 垃圾回收 garbage collection, gc
引用计数 reference count, reference counting; 内存泄漏 memory leak; 内存溢出 out of memory, oom
溢出 overflow; 越界 out of bounds, out of range; 堆栈 stack, stack trace; 堆转储 heap dump
调用 call, invoke; 调用栈 call stack; 调用链 call chain, trace; 面向对象 object-oriented
函数式 functional; 设计模式 design pattern; 单例 singleton; 工厂模式 factory pattern
观察者模式 observer pattern; 策略模式 strategy pattern; 适配器 adapter; 代理模式 proxy pattern
依赖注入 dependency injection; 控制反转 inversion of control; 依赖 dependency, depend
模块化 modular; 包 package; 类库 library; 命令行 command line, cli; 终端 terminal; 选项 option
标志 flag; 正则表达式 regular expression, regex; 通配符 wildcard; 占位符 placeholder; 转义 escape
编码 encoding, encode, coding; 解码 decode, decoding; 乱码 garbled, mojibake, garbage character
大小写 case, case sensitive; 换行 newline, line break; 缩进 indent, indentation
空行 blank line, empty line; 空白 blank, whitespace; 逗号 comma; 尾逗号 trailing comma
引号 quote, quotation mark; 单引号 single quote; 自述文件 readme; 错别字 typo; 错字 typo; 笔误 typo
拼写错误 typo, spelling mistake; 文档字符串 docstring; 段落 paragraph; 居中 center, centered
对齐 align, alignment; 排版 typesetting, layout; 截图 screenshot; 改名 rename
嵌套 nested, nesting; 辅助函数 helper, helper function; 控制台 console
详细输出 verbose output, verbose; 次版本 minor version; 升版本 bump version
合并提交 squash, merge commit
空格 space, whitespace; 算法 algorithm; 数据结构 data structure; 复杂度 complexity
时间复杂度 time complexity; 动态规划 dynamic programming; 贪心 greedy; 二分查找 binary search
快速排序 quicksort; 随机 random; 随机数 random number; 种子 seed; 校验和 checksum; 位运算 bitwise
掩码 mask; 递增 increment; 自增 auto increment, increment; 计数 count, counter; 计数器 counter
累加 accumulate; 求和 sum; 平均 average, mean; 最大 maximum, max; 最小 minimum, min
四舍五入 round, rounding; 取整 round; 分词 tokenize, tokenizer, word segmentation; 单词 word
代码 code; 源码 source code, source; 源代码 source code; 伪代码 pseudocode
代码库 repository, codebase; 死代码 dead code; 重复代码 duplicate code
代码风格 code style, coding style; 代码规范 coding convention, coding style
格式化 format, formatting; 静态检查 lint, static analysis; 静态分析 static analysis
并行 parallel, parallelism; 同步 sync, synchronous, synchronize; 阻塞 block, blocking
非阻塞 non-blocking; 线程池 thread pool; 工作线程 worker thread, worker; 主线程 main thread
子进程 subprocess, child process; 守护进程 daemon; 进程池 process pool; 事件循环 event loop
事件驱动 event-driven; 锁 lock; 互斥锁 mutex; 自旋锁 spin lock; 读写锁 read-write lock
乐观锁 optimistic lock, optimistic locking; 悲观锁 pessimistic lock, pessimistic locking
分布式锁 distributed lock; 行锁 row lock; 表锁 table lock; 活锁 livelock; 竞态 race, race condition
竞态条件 race condition; 竞争 race, contention; 原子 atomic; 原子操作 atomic operation
信号量 semaphore; 信号 signal; 条件变量 condition variable; 上下文切换 context switch
调度 schedule, scheduling; 调度器 scheduler; 抢占 preempt, preemption; 优先级 priority
超时 timeout, time out; 退避 backoff; 抖动 jitter; 节流 throttle, throttling; 防抖 debounce
限流 rate limit, rate limiting, throttle, throttling, ratelimit; 令牌桶 token bucket
漏桶 leaky bucket; 背压 backpressure; 幂等 idempotent, idempotence, idempotency
去重 deduplicate, deduplication, dedupe; 重复 duplicate, repeat
重复提交 duplicate submission, double submit; 消息队列 message queue, message broker
消费者 consumer; 消费 consume; 生产者 producer; 订阅 subscribe, subscription
发布订阅 publish subscribe, pubsub; 主题 theme, topic; 积压 backlog; 堆积 backlog, pile up
死信队列 dead letter queue; 延迟队列 delay queue; 批处理 batch processing, batch; 批量 batch, bulk
流处理 stream processing; 流式 streaming; 定时 scheduled, timer; 定时器 timer
定时任务 cron, scheduled task, scheduled job, cron job; 后台任务 background job, background task
任务 task, job; 任务队列 task queue, job queue; 乱序 out of order; 顺序 order, sequence
分布式 distributed; 分布式事务 distributed transaction; 两阶段提交 two-phase commit
补偿 compensation, compensate; 最终一致性 eventual consistency; 一致性 consistency, consistent
一致性哈希 consistent hashing; 强一致 strong consistency; 共识 consensus; 选举 election, elect
选主 leader election; 领导者 leader; 主节点 master, leader, primary
从节点 replica, slave, follower; 主从 master-slave, primary, replica; 主从复制 replication
主从切换 failover; 主库 primary database, master; 从库 replica, read replica; 备库 standby, replica
副本 replica, copy; 复制延迟 replication lag; 读写分离 read-write splitting, read replica
节点 node; 单机 single machine, single node, standalone; 单点 single point
单点故障 single point of failure; 高可用 high availability; 可用性 availability; 可靠性 reliability
容错 fault tolerance, fault tolerant; 容灾 disaster recovery; 灾备 disaster recovery
灾难恢复 disaster recovery; 故障 failure, fault, outage, incident; 故障转移 failover
故障恢复 recovery; 切换 switch, failover, switchover
降级 degrade, downgrade, fallback, degradation; 兜底 fallback; 备用 backup, standby, fallback
熔断 circuit breaker, circuit break; 熔断器 circuit breaker; 雪崩 avalanche, stampede, cascade
缓存雪崩 cache avalanche, cache stampede; 缓存击穿 cache breakdown, cache stampede
缓存穿透 cache penetration; 布隆过滤器 bloom filter; 心跳 heartbeat; 健康检查 health check
探针 probe; 存活探针 liveness probe; 就绪探针 readiness probe; 优雅停机 graceful shutdown
停机 shutdown, downtime; 宕机 crash, outage; 重启 restart, reboot; 启动 start, startup, boot
冷启动 cold start; 预热 warm up, warmup; 停止 stop; 关闭 close, shut down
扩容 scale out, scale up, scaling, expand capacity; 缩容 scale in, scale down
弹性伸缩 autoscaling, auto scaling; 伸缩 scale, scaling; 横向扩展 horizontal scaling, scale out
负载 load; 负载均衡 load balancing, load balancer; 分片 shard, fragment, sharding, chunk
分区 partition, partitioning; 分库分表 sharding; 分库 sharding; 分表 sharding, table partitioning
路由器 router; 网关 gateway; 微服务 microservice, microservices; 服务 service
服务发现 service discovery; 注册中心 service registry, registry
服务注册 service registration, service registry; 配置中心 config center, configuration center
服务网格 service mesh; 单体 monolith, monolithic; 单体应用 monolith; 拆分 split
解耦 decouple, decoupling; 耦合 coupling; 中台 middle platform
链路追踪 tracing, distributed tracing; 远程调用 rpc, remote call; 雪花算法 snowflake; 时钟 clock
时间戳 timestamp; 租户 tenant; 多租户 multi-tenant, multitenant, tenant; 隔离 isolation, isolate
机房 data center, datacenter; 异地多活 multi-region, active-active; 可扩展 scalable
可扩展性 scalability; 吞吐量 throughput; 吞吐 throughput; 延迟 latency, delay, lag
响应时间 response time, latency; 耗时 time, duration, latency, took; 瓶颈 bottleneck; 峰值 peak
高峰 peak; 流量 traffic; 数据 data; 数据源 data source; 数据库连接 database connection; 表 table
表结构 schema, table structure; 建表 create table; 行 row, line; 列 column; 主键 primary key
外键 foreign key; 唯一约束 unique constraint; 约束 constraint
联合索引 composite index, compound index; 覆盖索引 covering index; 全文索引 full-text index
全文检索 full-text search; 隔离级别 isolation level; 脏读 dirty read; 幻读 phantom read
提交 commit, submit; 回滚 rollback, roll back; 慢查询 slow query; 子查询 subquery; 连表 join
关联 join, associate, relation; 聚合 aggregate, aggregation; 分组 group; 过滤 filter; 筛选 filter
分页 pagination, paging; 深分页 deep pagination; 游标 cursor; 偏移量 offset; 视图 view
触发器 trigger; 存储过程 stored procedure; 存储 storage, store; 对象存储 object storage
持久化 persist, persistence, persistent; 落库 persist, write to the database
落盘 flush, write to disk; 写入 write, insert; 插入 insert; 读取 read; 修改 change, modify
删除 delete, remove, deletion; 逻辑删除 soft delete; 软删除 soft delete; 物理删除 hard delete
清空 clear, truncate; 清理 clean up, cleanup, clean, prune, vacuum; 归档 archive
备份 backup, back up; 全量 full; 增量 incremental; 全量备份 full backup
增量备份 incremental backup; 恢复 restore, recover, recovery; 快照 snapshot; 导入 import
导出 export; 连接池 connection pool; 连接 connection, connect; 连接数 connections, connection count
断开 disconnect; 断线 disconnect; 重连 reconnect; 缓存命中 cache hit; 命中率 hit rate
失效 invalidate, expire, invalidation; 过期 expire, expiry, expiration
过期时间 expiry, ttl, expiration; 有效期 lifetime, validity, expiry, ttl; 淘汰 evict, eviction
键 key; 键值 key-value; 值 value; 冷数据 cold data; 热点 hotspot, hot; 热数据 hot data
冷热分离 hot and cold; 数据仓库 data warehouse; 数仓 data warehouse; 数据湖 data lake
数据同步 data sync, etl, synchronization; 数据清洗 data cleaning; 数据迁移 data migration
数据一致性 data consistency; 脏数据 dirty data; 脱敏 mask, masking, anonymize, redact; 报表 report
统计 statistics, count; 指标 metric, indicator; 看板 dashboard; 大屏 dashboard; 仪表盘 dashboard
可视化 visualization; 图表 chart; 对账 reconciliation, reconcile; 差异 difference, diff
分析 analysis, analyze; 时序 time series; 文档数据库 document database; 关系型 relational
非关系型 nosql; 图数据库 graph database; 搜索引擎 search engine; 倒排索引 inverted index
检索 search, retrieve, retrieval; 召回 recall, retrieval; 相关性 relevance; 权重 weight; 分数 score
评分 score, rating; 排名 rank, ranking; 推荐 recommend, recommendation; 关键词 keyword
关键字 keyword; 同义词 synonym; 拼写 spelling; 联想 suggestion, autocomplete
自动补全 autocomplete, completion; 高亮 highlight; 字段类型 field type; 元数据 metadata
结构化 structured; 序号 sequence number; 编号 number, id; 标识 identifier, id; 唯一 unique
冗余 redundant, redundancy; 范式 normal form; 膨胀 bloat; 请求头 header, request header
请求体 request body, body; 响应头 response header; 状态码 status code; 协议 protocol; 端口 port
套接字 socket; 地址 address; 域名 domain, domain name; 解析地址 resolve; 子域名 subdomain
带宽 bandwidth; 丢包 packet loss; 抓包 packet capture; 握手 handshake
长连接 persistent connection, keepalive, long connection, websocket; 短连接 short connection
轮询 poll, polling; 长轮询 long polling; 推送 push; 通知 notification, notify
回执 receipt, acknowledgement; 确认 confirm, acknowledge, confirmation
断点续传 resumable upload, resume; 分块 chunk; 压缩 compress, compression
解压 decompress, unzip, extract; 跨域 cross-origin, cors, cross-domain; 预检 preflight
反向代理 reverse proxy; 正向代理 forward proxy; 代理 proxy, agent; 代理池 proxy pool
内网 internal network, intranet; 外网 public network, internet; 防火墙 firewall
白名单 whitelist, allowlist, allow list; 黑名单 blacklist, blocklist, deny list
爬虫 crawler, spider, scraper; 抓取 crawl, fetch, scrape; 拉取 pull, fetch; 重定向 redirect
转发 forward; 拦截 intercept, block; 拦截器 interceptor; 过滤器 filter; 服务端 server, server side
主机 host; 浏览器 browser; 网页 web page, page; 网站 website, site; 链接 link
短链 short link, short url; 第三方 third party, third-party; 供应商 provider, vendor, supplier
服务商 provider; 对外 public, external; 外部 external; 内部 internal; 上游 upstream
下游 downstream; 对接 integrate, integration; 接入 integrate, integration, ingestion, access
联调 integration, joint debugging; 接口文档 api documentation, api docs; 签名 signature, sign
验签 signature verification, verify signature; 重放 replay; 版本兼容 version compatibility
兼容 compatible, compatibility; 向后兼容 backward compatible; 废弃 deprecate, deprecated
弃用 deprecate, deprecated; 错误码 error code; 短信 sms, text message; 邮件 email, mail
邮箱 mailbox, email; 垃圾邮件 spam; 垃圾箱 spam; 站内信 in-app message, notification
安全 security, secure, safety; 身份验证 authentication
鉴权 authentication, authorization, authenticate, auth; 授权 authorize, authorization, grant
权限 permission, privilege, access; 越权 privilege escalation, unauthorized; 角色 role
访问控制 access control; 访问令牌 access token; 刷新令牌 refresh token
单点登录 single sign-on, sso; 第三方登录 social login, third-party login
会话 session, conversation; 登录 login, log in, sign in, signin; 登陆 login, log in
登出 logout, log out, sign out; 注销 logout, log out, sign out; 退出 exit, quit, logout
注册 register, signup, sign up, registration; 密码重置 password reset
重置密码 password reset, reset password; 重置 reset; 口令 password, passphrase
密钥 key, secret, secret key; 公钥 public key; 私钥 private key
密钥管理 key management, secret management; 轮换 rotate, rotation; 凭证 credential; 凭据 credential
机密 secret; 解密 decrypt, decryption; 对称加密 symmetric encryption
非对称加密 asymmetric encryption; 加盐 salt; 摘要 digest, summary; 数字签名 digital signature
续期 renew, renewal; 续签 renew; 吊销 revoke, revocation; 漏洞 vulnerability, leak, hole
补丁 patch; 注入 inject, injection; 跨站脚本 cross-site scripting, xss
跨站请求伪造 csrf, cross-site request forgery; 攻击 attack; 撞库 credential stuffing
暴力破解 brute force; 钓鱼 phishing; 木马 trojan; 病毒 virus; 扫描 scan, scanner
渗透测试 penetration test; 审计 audit; 合规 compliance; 隐私 privacy; 个人数据 personal data
个人信息 personal information, personal data; 敏感 sensitive; 敏感信息 sensitive data
敏感数据 sensitive data; 泄露 leak, expose, disclosure; 验证码 captcha, verification code
验证 verify, validation, validate, verification; 校验 validate, validation, check, verify
双因素 two-factor, 2fa; 双因素认证 two-factor authentication, 2fa
多因素认证 multi-factor authentication, mfa; 指纹 fingerprint; 人脸识别 face recognition
沙箱 sandbox; 封禁 ban, block; 风控 risk control; 欺诈 fraud; 堡垒机 bastion
跳板机 jump host, bastion; 发布 release, publish, deploy, rollout; 发版 release
上线 release, go live, go online, deploy, launch, rollout; 下线 offline, take down, retire
灰度 canary, gray release, gradual rollout
灰度发布 canary, canary release, gray release, grey release, gradual rollout; 蓝绿部署 blue-green
滚动更新 rolling update; 滚动发布 rolling release, rolling update
热更新 hot reload, hot update, hot fix; 热修复 hotfix; 热部署 hot deploy, hot reload
流水线 pipeline, assembly line; 持续集成 continuous integration, ci; 持续交付 continuous delivery
持续部署 continuous deployment; 打包 package, bundle, pack, build; 制品 artifact
产物 artifact, output; 镜像 image, mirror, docker image; 镜像仓库 registry, image registry
容器化 containerize, docker; 编排 orchestrate, orchestration; 挂载 mount; 卷 volume
驱逐 evict, eviction; 命名规范 naming convention; 环境变量 environment variable
生产环境 production, production environment; 生产 production, produce; 线上 production, online
线下 offline; 测试环境 test environment, staging; 预发 staging, pre-release
预发布 staging, pre-release; 开发环境 development environment, dev environment; 本地 local, locally
配置 config, configuration, configure, setup; 配置文件 config file, configuration file
配置项 config option, setting; 设置 setting, settings, set; 开关 switch, toggle, flag
功能开关 feature flag, feature toggle; 特性开关 feature flag; 运维 operations, ops, devops
值班 on-call, on call; 交接 handover; 告警 alert, alarm, alerting; 报警 alert, alarm
阈值 threshold; 访问日志 access log; 审计日志 audit log; 日志级别 log level; 日志格式 log format
采集 collect, collection; 采样 sample, sampling
埋点 tracking, instrumentation, event tracking, analytics; 上报 report, send
可观测性 observability; 巡检 inspection; 演练 drill, exercise; 应急 emergency, incident
预案 contingency plan, runbook; 事故 incident, accident, outage
复盘 postmortem, retrospective, review; 排查 troubleshoot, investigate, investigation, debug
定位 locate, trace, track down; 根因 root cause; 服务降级 service degradation; 磁盘 disk
磁盘空间 disk space; 硬盘 disk, hard drive; 显卡 gpu; 处理器 processor, cpu; 资源 resource
资源限制 resource limit; 配额 quota; 限额 quota, limit; 上限 limit, maximum, cap
下限 minimum, lower limit; 限制 limit, restrict, restriction; 云 cloud; 云服务 cloud service
云原生 cloud native; 无服务器 serverless; 基础设施 infrastructure; 虚拟化 virtualization
操作系统 operating system, os; 内核 kernel; 驱动 driver; 文件系统 file system
文件名 file name, filename; 软链接 symlink, symbolic link; 权限不足 permission denied
安装 install, installation; 卸载 uninstall, unmount; 升级 upgrade, update; 降版本 downgrade
版本 version, release; 版本号 version, version number; 依赖升级 dependency upgrade
依赖冲突 dependency conflict; 包管理器 package manager; 锁文件 lock file, lockfile
域名解析 dns, domain resolution; 时区 timezone, time zone; 夏令时 daylight saving; 闰年 leap year
时间 time; 计费 billing; 账单 bill, invoice, billing; 成本 cost; 费用 cost, fee; 测试 test, testing
单元测试 unit test, unit testing, unittest; 单测 unit test; 集成测试 integration test
端到端 end-to-end, e2e; 端到端测试 end-to-end test, e2e test; 回归测试 regression test
回归 regression; 冒烟测试 smoke test; 压测 load test, stress test, benchmark
压力测试 stress test, load test; 性能测试 performance test, benchmark
自动化测试 automated test, test automation; 自动化 automation, automated, automate
手工测试 manual test; 测试用例 test case; 用例 case, test case, use case; 覆盖率 coverage
测试覆盖率 test coverage; 断言 assert, assertion; 模拟 mock, simulate, simulation; 打桩 stub
夹具 fixture; 基准测试 benchmark; 基准 benchmark, baseline; 不稳定 flaky, unstable
偶发 flaky, intermittent, occasional; 偶尔 occasionally, intermittent, flaky; 复现 reproduce
缺陷 bug, defect; 问题 problem, issue, question, bug; 漏测 missed test; 调试 debug, debugging
断点 breakpoint; 单步 step; 报错 error, error message; 错误 error, mistake, wrong
错误信息 error message; 异常 exception, error, abnormal
异常处理 exception handling, error handling; 闪退 crash; 卡死 freeze, hang, stuck
卡顿 lag, jank, stutter, slow; 卡住 stuck, hang; 白屏 blank screen, white screen; 黑屏 black screen
花屏 screen corruption; 挂了 failed, crashed; 失败 fail, failure, failed
成功 success, succeed; 警告 warning, warn; 性能优化 performance optimization, performance tuning
优化 optimize, optimization, improve, tuning; 调优 tuning, tune; 技术债 technical debt, tech debt
代码审查 code review; 代码评审 code review; 评审 review; 批准 approve, approval
审批 approval, approve; 审批流 approval workflow; 质量 quality; 门禁 gate, quality gate
规范 convention, standard, specification, guideline; 约定 convention, agreement
标准 standard, criterion; 文档 documentation, document, docs; 手册 manual, handbook
示例 example, sample; 教程 tutorial; 变更日志 changelog; 变更 change; 发布说明 release notes
需求 requirement, demand; 需求文档 requirements document, prd; 设计文档 design document, design doc
架构图 architecture diagram; 流程 process, flow, procedure, workflow; 流程图 flowchart
工作流 workflow; 方案 plan, solution, approach, scheme; 选型 choice, choose, selection, decision
技术选型 technology choice; 决定 decide, decision; 决策 decision; 原型 prototype; 里程碑 milestone
排期 schedule; 迭代计划 sprint plan; 冲刺 sprint; 看板管理 kanban; 待办 todo, backlog
工单 ticket; 优先 priority, prefer; 截止日期 deadline; 工时 effort, hours; 检查清单 checklist
清单 checklist, list; 模型训练 model training; 仓库 repository, repo, warehouse
代码仓库 repository, repo; 主干 trunk, main branch; 主分支 main branch, master
特性分支 feature branch; 发布分支 release branch; 合并请求 merge request, pull request
拉取请求 pull request; 合并冲突 merge conflict; 变基 rebase; 暂存 stash, stage; 暂存区 staging area
标签 tag, label; 提交信息 commit message; 提交记录 commit history, commit; 历史 history, historical
历史记录 history; 撤销 undo, revert; 还原 revert, restore; 拣选 cherry-pick; 子模块 submodule
钩子 hook; 差异对比 diff; 分叉 fork; 推送代码 push; 检出 checkout; 忽略 ignore; 开源 open source
许可证 licence, license; 贡献 contribute, contribution; 维护 maintain, maintenance
维护者 maintainer; 前端 frontend, front-end, front end; 后端 backend, back-end, back end
全栈 full stack; 移动端 mobile; 小程序 mini program; 安卓 android; 苹果 apple, ios; 桌面 desktop
应用 app, application; 应用商店 app store; 首页 home page, homepage
首屏 first screen, first paint, above the fold; 落地页 landing page; 列表页 list page
详情页 detail page; 登录页 login page; 组件库 component library; 控件 widget, control; 表单 form
输入框 input, text field; 下拉框 dropdown, drop-down, select; 下拉 dropdown, pull down
复选框 checkbox; 单选框 radio button; 弹窗 popup, pop-up, dialog, modal; 对话框 dialog
提示框 tooltip, toast; 提示 hint, prompt, tip, suggestion; 菜单 menu; 导航 navigation
侧边栏 sidebar; 标签页 tab; 表格 table, spreadsheet; 滚动 scroll; 无限滚动 infinite scroll
虚拟滚动 virtual scroll; 虚拟列表 virtual list; 拖拽 drag and drop, drag; 点击 click; 悬停 hover
焦点 focus; 快捷键 shortcut, keyboard shortcut; 键盘 keyboard; 鼠标 mouse; 光标 cursor
动画 animation; 过渡 transition; 图标 icon; 图片 image, picture, photo; 照片 photo; 图像 image
头像 avatar; 缩略图 thumbnail; 音频 audio; 直播 live, live stream; 转码 transcode, transcoding
字体 font; 颜色 color, colour; 背景 background; 主题切换 theme switch; 深色模式 dark mode
暗色模式 dark mode; 夜间模式 dark mode, night mode; 对比度 contrast; 无障碍 accessibility, a11y
样式表 stylesheet; 栅格 grid; 响应式 responsive, reactive; 自适应 adaptive, responsive
适配 adapt, compatibility, adaptation; 分辨率 resolution; 屏幕 screen; 旋转 rotate, rotation
渲染 render, rendering; 服务端渲染 server-side rendering, ssr; 预渲染 prerender
懒加载 lazy loading, lazy load; 预加载 preload; 加载 load, loading; 骨架屏 skeleton
占位图 placeholder; 状态 state, status; 状态管理 state management; 状态机 state machine
双向绑定 two-way binding; 绑定 bind, binding; 监听 listen, listener, watch; 监听器 listener
冒泡 bubble; 事件委托 event delegation; 生命周期 lifecycle; 虚拟节点 virtual dom
路由懒加载 route lazy loading, lazy routes; 国际化 internationalization, i18n
本地化 localization, l10n; 翻译 translate, translation; 文案 copy, text, wording; 富文本 rich text
编辑器 editor; 粘贴 paste; 剪贴板 clipboard; 打印 print; 预览 preview; 水印 watermark
二维码 qr code; 扫码 scan qr code, scan; 插件 plugin, plug-in, extension
扩展 extension, extend, expand; 脚手架 scaffold, scaffolding; 打包工具 bundler, build tool
工具 tool; 工具链 toolchain; 热重载 hot reload; 兼容性 compatibility; 用户体验 user experience, ux
交互 interaction; 界面 interface, ui, screen; 用户界面 user interface, ui; 客户 customer, client
会员 member, membership; 管理员 admin, administrator; 超级管理员 super admin, superuser
账号 account; 账户 account; 手机号 phone number, mobile number; 身份证 id card; 实名 real name
昵称 nickname; 地址解析 geocoding, address resolution; 地图 map; 新手引导 onboarding
引导 onboarding, guide; 对照实验 a/b test, experiment; 实验 experiment
转化率 conversion rate, conversion; 留存 retention, retain; 点赞 like; 评论 comment
收藏 favorite, bookmark; 分享 share; 关注 follow; 聊天 chat; 群聊 group chat; 反馈 feedback
投诉 complaint; 客服 customer service, support; 订单号 order number; 下单 place an order, order
结算 checkout, settlement; 结账 checkout; 购物车 cart, shopping cart; 商品 product, goods, item
库存 stock, inventory; 超卖 oversell, overselling; 秒杀 flash sale; 大促 big sale, promotion
促销 promotion, sale; 优惠券 coupon; 折扣 discount; 价格 price; 金额 amount; 货币 currency
汇率 exchange rate; 支付 payment, pay; 付款 payment, pay; 支付宝 alipay; 微信 wechat
微信支付 wechat pay; 扣款 charge, deduct; 扣费 charge; 扣减 deduct, decrement; 退款 refund
退货 return; 发票 invoice; 税 tax; 税务 tax; 银行 bank; 余额 balance; 钱包 wallet
充值 top up, recharge; 提现 withdraw, withdrawal; 物流 logistics, shipping; 快递 courier, delivery
发货 ship, shipping; 仓储 warehouse, storage; 供应链 supply chain; 财务 finance; 合同 contract
部门 department; 组织 organization; 员工 employee; 同事 colleague, coworker; 团队 team
会议 meeting; 会议纪要 meeting minutes, minutes; 日历 calendar; 日程 schedule, calendar; 模型 model
大模型 large model, llm, large language model; 语言模型 language model; 训练 train, training
微调 fine-tune, fine tuning; 推理 inference, infer, reasoning; 提示词 prompt; 嵌入 embed, embedding
向量 vector, embedding; 向量数据库 vector database; 特征 feature; 特征工程 feature engineering
标注 label, annotate, annotation; 数据集 dataset, data set; 训练集 training set; 测试集 test set
验证集 validation set; 样本 sample; 准确率 accuracy; 精确率 precision; 召回率 recall
损失函数 loss function; 损失 loss; 梯度 gradient; 过拟合 overfit, overfitting; 欠拟合 underfit
正则化 regularization; 学习率 learning rate; 超参数 hyperparameter; 神经网络 neural network
深度学习 deep learning; 机器学习 machine learning; 强化学习 reinforcement learning
聚类 cluster, clustering; 分类 classification, category, classify
预测 predict, prediction, forecast; 幻觉 hallucination; 上下文 context; 上下文窗口 context window
智能体 agent; 助手 assistant; 检索增强 retrieval augmented, rag; 知识库 knowledge base
知识图谱 knowledge graph; 对话 conversation, dialog, chat; 流式输出 streaming output
语音识别 speech recognition; 语音 voice, speech; 识别 recognize, recognition
图像识别 image recognition; 文字识别 ocr; 噪声 noise; 降噪 denoise, noise reduction
量化 quantize, quantization; 蒸馏 distill, distillation; 剪枝 prune, pruning; 参数量 parameters
算力 compute; 记忆 memory
"""

# Words of any question and note.
GENERAL = """
原因 reason, cause; 根本原因 root cause; 导致 cause, lead to
解决 solve, fix, resolve, solution; 解决方案 solution; 解决办法 solution, fix, workaround
办法 way, solution; 修复 fix, repair; 处理 handle, process, deal with; 应对 handle, deal with
改成 change to, switch, set; 改造 migration, refactor, rework; 改用 switch to
换成 switch to, replace; 替换 replace, replacement; 换 switch, replace, change
放弃 drop, abandon, give up; 采用 adopt, use; 使用 use, usage; 选择 choose, choice, select, option
选 choose, select, pick; 避免 avoid, prevent; 防止 prevent, avoid; 预防 prevent
保证 guarantee, ensure; 确保 ensure; 支持 support; 要求 require, requirement; 需要 need, require
必须 required, mandatory; 允许 allow; 禁止 forbid, disable, prohibit; 启用 enable
禁用 disable; 开启 enable, turn on; 生效 take effect, effect; 触发 trigger
执行 execute, run, execution; 运行 run, running; 操作 operation; 步骤 step, procedure
阶段 phase, stage; 进度 progress; 进行 progress, underway; 完成 complete, finish
开始 start, begin; 结束 end, finish; 增加 add, increase; 添加 add; 新增 add, new
减少 reduce, decrease; 减小 reduce, shrink; 降低 lower, reduce; 提高 raise, improve, increase
提升 improve, raise; 提速 speed up; 加速 speed up, accelerate; 加快 speed up; 慢 slow
变慢 slow, slower; 快 fast, quick; 大 large, big; 小 small; 高 high; 低 low; 长 long; 短 short
多 many, multiple; 新 new; 旧 old, legacy; 老 old, legacy; 旧数据 old data
老用户 existing user, old user; 新同事 new colleague; 大文件 large file; 体积 size; 大小 size
长度 length; 宽度 width; 高度 height; 行宽 line length; 数量 number, count, quantity
数字 number, digit; 比例 ratio, percentage, percent, share; 百分比 percentage, percent
频率 frequency; 速度 speed; 效率 efficiency; 容量 capacity; 空间 space; 范围 range, scope
间隔 interval; 周期 period, cycle; 次数 times, count; 每天 daily, every day; 每日 daily
每周 weekly, every week; 每月 monthly, every month; 每年 yearly, every year, annual
每季度 quarterly, every quarter; 每小时 hourly, every hour; 夜间 nightly, night
晚上 night, evening; 凌晨 night; 早上 morning; 周末 weekend; 月度 monthly; 年度 annual, yearly
小时 hour; 分钟 minute; 秒 second; 天 day; 周 week; 月 month; 年 year; 月份 month; 日期 date
保留 keep, retain, retention, kept; 保存 save, keep, store, kept; 存在 store, exist; 存放 store
存 store, keep; 丢失 lose, lost, loss; 丢 lose, lost; 缺失 missing; 漏 miss, missing, leak
遗漏 miss, omit; 错乱 wrong, mess, mixed up; 不对 wrong, incorrect
不一致 inconsistent, mismatch, differ; 对不上 mismatch, wrong; 暴涨 spike, surge, storm
激增 spike, surge; 抖动问题 jitter; 耗尽 exhaust, exhaustion, run out; 打满 full, saturated
满 full; 空 empty; 拒绝 reject, deny, refuse; 拒绝策略 rejection policy; 策略 strategy, policy
规则 rule; 机制 mechanism; 原则 principle; 逻辑 logic; 条款 term; 模式 mode, pattern, schema
方式 way, method; 格式 format; 内容 content; 信息 information, info; 消息推送 push notification
记录 record, log; 结果 result, outcome; 效果 effect; 影响 impact, affect, effect; 风险 risk
成效 effect; 结论 conclusion; 区别 difference; 对比 compare, comparison; 比较 compare
优点 advantage; 缺点 disadvantage, drawback; 优势 advantage; 自动 automatic, automatically
手动 manual, manually; 人工 manual; 默认 default; 默认值 default value, default
自定义 custom, customize; 临时 temporary, temp; 永久 permanent; 实时 real-time, realtime, live
离线 offline; 在线 online; 公司 company; 办公室 office; 业务 business; 项目 project; 产品 product
系统 system; 平台 platform; 功能 feature, function; 机器 machine; 设备 device; 手机 phone, mobile
电脑 computer, laptop; 笔记本 laptop, notebook; 程序 program; 软件 software; 硬件 hardware
版权 copyright; 外包 outsourcing; 管理 manage, management; 后台 background, backend, admin
前台 foreground, frontend; 账单日 billing date; 权益 benefit; 活动 campaign, activity, event
首次 first; 最后 last, final, finally; 最终 final, finally, eventually; 最新 latest
最近 recent, latest; 之前 previous; 以后 later; 目前 current, currently
当前 current; 原来 original, originally; 当初 originally; 剩下 remaining, left; 剩余 remaining
不同 different; 大量 many, massive; 部分 part, partial; 单独 separate
独立 independent, separate; 统一 unify, unified; 公共 common, public, shared; 共享 share, shared
私有 private; 公开 public; 有序 ordered; 无效 invalid; 有效 valid, effective; 合法 valid, legal
非法 illegal, invalid; 正常 normal; 稳定 stable; 稳定性 stability; 灵活 flexible; 简单 simple
复杂 complex; 深 deep; 浅 shallow; 转换 convert, conversion, transform; 转移 transfer
传输 transfer, transmit; 发送 send; 收集 collect; 生成 generate, generation; 创建 create
建立 build, establish, create; 搭建 set up, build; 重建 rebuild; 引入 introduce, import
移除 remove; 去掉 remove, drop; 取消 cancel; 暂停 pause, suspend; 继续 continue, resume; 等待 wait
跳过 skip; 忽视 ignore; 检查 check, inspect, audit; 检测 detect, detection
发现 discover, discovery; 显示 show, display; 隐藏 hide, hidden; 打开 open; 选中 select; 输入 input
输出 output; 命中 hit; 匹配 match; 识别率 recognition rate; 计算 compute, calculate, calculation
估算 estimate; 评估 evaluate, evaluation, assess; 测量 measure; 划分 split, divide, partition
切分 split; 分配 allocate, allocation, assign; 分发 distribute; 申请 apply, request
审核 review, audit; 规划 plan, planning; 计划 plan; 目标 goal, target; 任务失败 job failed
责任人 owner; 负责 responsible, owner; 沟通 communicate; 讨论 discuss, discussion
总结 summary, summarize; 报告 report; 汇总 summary, aggregate; 学习 learn, learning; 练习 practice
培训 training; 招聘 hiring, recruit; 面试 interview; 差 poor, difference; 台 machine
分支策略 branching strategy; 复制粘贴 copy paste; 多语言 multilingual, languages; 语言 language
中文 chinese; 英文 english; 汉字 chinese character; 方块 square, box; 拼音 pinyin; 姓名 name
名称 name; 名字 name; 标题 title; 正文 body, text; 描述 description, describe; 备注 note, remark
附件 attachment; 单元 unit; 单位 unit; 个人 personal; 公告 announcement; 门户 portal
官网 official website; 机器人 bot, robot; 群 group; 钉钉 dingtalk; 飞书 feishu, lark
企业微信 wecom; 服务费 service fee; 套餐 plan, package; 试用 trial; 订阅费 subscription fee
黑五 black friday; 双十一 singles day, 11.11; 春节 spring festival; 假期 holiday; 星期一 monday
星期二 tuesday; 星期三 wednesday; 星期四 thursday; 星期五 friday; 星期六 saturday; 星期天 sunday
周一 monday; 周二 tuesday; 周三 wednesday; 周四 thursday; 周五 friday; 周六 saturday; 周日 sunday
"""

# Words that ask, and words of grammar: in English they are stop words, so they weigh nothing.
_GRAMMAR = """
为什么 为何 什么 怎么 怎样 如何 怎么样 怎么回事 多少 多久 多长时间 多长 多大 哪个 哪些 哪里 哪
什么时候 何时 谁 几 几个 是否 是不是 有没有 可以 能否 我们 你们 他们 我 你 它 这个 那个 这 那 这些
那些 这样 不同的 的 了 是 在 和 与 或 及 对 从 到 把 被 用 有 没有 没 不 里 上 中 下 时 时候
的时候 要 会 能 就 都 也 还 还有 又 再 很 太 更 最 吗 呢 吧 过 着 给 让 由 以 为 于 等 关于 如果
但是 而 所以 然后 一次 一下 一个 一起 现在 自己 别的 其他 通过 后来 出来 起来 下来 之间 情况 东西
应该 个 将 之 其 并 且 该 每 只 才 向 往 哦 啊 请 谢谢
因为 少 之后 相同 全部
"""

# How many words a phrase has at the most that is looked for as a whole.
LONGEST_PHRASE = 3
# What each gloss is worth against the one before.
RANK_SHARE = 0.8
# A single character is in too many words to mean this one.
CHARACTER_SHARE = 0.3
_PART_SHARE = 0.5
# That of a word of the trade among 60 million words.
_USUAL_FREQUENCY = 1000


class Glossary:
    """The glossary as a `core.search.translation.Dictionary`."""

    def glosses(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return what each word is called in English, best first; unknown words are absent."""
        known = _entries()
        return {word: tuple(known[word].split(", ")) for word in words if word in known}

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the same for each of our words, since no text was counted for them."""
        known = _entries()
        return {word: _USUAL_FREQUENCY for word in words if word in known}

    def headwords(self, phrases: Iterable[str]) -> dict[str, dict[str, float]]:
        """Return the Chinese words for stems, and for phrases of stems, each with its weight."""
        wanted = frozenset(phrases)
        # To stem every gloss takes longer than a whole search.
        stems = set(" ".join(wanted).split())
        likely = {entry for stem in stems for entry in _entries_with(stem)}
        entries = (entry.partition(" ") for entry in sorted(likely))
        return headwords(((word, glosses.split(", "), 1.0) for word, _, glosses in entries), wanted)


def headwords(
    entries: Iterable[tuple[str, Sequence[str], float]], wanted: Collection[str] = ()
) -> dict[str, dict[str, float]]:
    """Return for each phrase of stems the Chinese words for it, with their weights.

    An entry is a word, its glosses and what it is worth itself. A word weighs more the earlier the
    phrase is among its glosses, and less the longer the gloss that the phrase is a part of.
    `wanted` are the phrases to look for; empty means all.
    """
    phrases: dict[str, dict[str, float]] = {}
    for word, glosses, worth in entries:
        for rank, gloss in enumerate(glosses):
            weight = worth * RANK_SHARE**rank * (CHARACTER_SHARE if len(word) == 1 else 1.0)
            for phrase, share in _phrases(gloss_stems(gloss)):
                if not wanted or phrase in wanted:
                    words = phrases.setdefault(phrase, {})
                    words[word] = max(words.get(word, 0.0), weight * share)
    return phrases


def gloss_stems(gloss: str) -> list[str]:
    """Return the stems of a gloss, one for each word that is no stop word.

    >>> gloss_stems("to go back to the i18n tests")
    ['go', 'back', 'i18n', 'test']
    """
    return [terms[0] for token in text.tokens(gloss) if (terms := text.word_terms(token))]


def _phrases(stems: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield a gloss as a whole, if it is no longer than a phrase, and each of its stems."""
    if 1 <= len(stems) <= LONGEST_PHRASE:
        yield " ".join(stems), 1.0
    if len(stems) > 1:
        for stem in stems:
            yield stem, _PART_SHARE / len(stems)


def _entries_with(stem: str) -> Iterator[str]:
    """Yield the entries that have a word with a stem, and a few more."""
    # "Retri" is the stem of "retry"; of "ii" nothing would be left, which is everywhere.
    every, part = _every_entry(), stem.rstrip("i") or stem
    at = every.find(part)
    while at >= 0:
        end = every.find("\n", at)
        yield every[every.rfind("\n", 0, at) + 1 : end]
        at = every.find(part, end)


@lru_cache(maxsize=1)
def _every_entry() -> str:
    """Return an entry a line; of a word with two, all meanings are in the last."""
    groups = (listed.split() for listed in GROUPS.replace("; ", "\n").split("\n"))
    shared = (
        f"{word} {', '.join(filter(str.isascii, group))}"
        for group in groups
        for word in group
        if not word.isascii() and any(map(str.isascii, group))
    )
    return "\n".join([*shared, f"{TECHNICAL}{GENERAL}".replace("; ", "\n")])


@lru_cache(maxsize=1)
def _entries() -> Mapping[str, str]:
    """Return the glosses of each word."""
    lines = (line.partition(" ") for line in _every_entry().split("\n"))
    return {**dict.fromkeys(_GRAMMAR.split(), ""), **{word: glosses for word, _, glosses in lines}}
