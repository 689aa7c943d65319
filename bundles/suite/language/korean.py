"""The report of a suite in Korean: the sentences that the format's documentation gives it."""

from collections.abc import Mapping

KOREAN: Mapping[str, str] = {
    "violation.TYPE_MISMATCH": "타입이 다릅니다. 기대: {expected}, 실제: {kind}{actual}",
    "violation.CONST_MISMATCH": "값이 다릅니다. 기대: {expected}, 실제: {actual}",
    "violation.ENUM_MISMATCH": "기대한 값 중 하나가 아닙니다. 기대: {expected}, 실제: {actual}",
    "violation.REQUIRED_MISSING": "필수 필드가 없습니다. 발견된 필드: {keys}",
    "violation.ADDITIONAL_PROPERTY": "스키마에 없는 필드입니다.",
    "violation.MIN_ITEMS": "배열 원소가 부족합니다. 기대: {expected}개 이상, 실제: {actual}개",
    "violation.MIN_LENGTH": "문자열이 너무 짧습니다. 기대: {expected}자 이상, 실제: {actual}자",
    "violation.MAX_LENGTH": "문자열이 너무 깁니다. 기대: {expected}자 이하, 실제: {actual}자",
    "violation.STRING_CONTAINS": (
        "응답 문자열에 기대한 내용이 없습니다. 기대: {expected} 포함, 실제: {actual}"
    ),
    "violation.KEYWORD_VIOLATED": "{keyword} {expected} 조건에 맞지 않습니다. 실제: {actual}",
    "violation.whole": "값 전체",
    "violation.MINIMUM": "값이 범위를 벗어납니다. 기대: {expected} 이상, 실제: {actual}",
    "violation.MAXIMUM": "값이 범위를 벗어납니다. 기대: {expected} 이하, 실제: {actual}",
    "size.object": "(키 {size}개)",
    "size.array": "(원소 {size}개)",
    "none": "없음",
    "more": " 외 {more}개",
    "cut": "…(총 {characters}자)",
    "head.one": "{name}  (1 case)",
    "head.many": "{name}  ({total} cases)",
    "part.setup": "{name}  [준비]",
    "part.teardown": "{name}  [정리]",
    "left_out.one": "제외된 케이스 1건: {cases}",
    "left_out.many": "제외된 케이스 {count}건: {cases}",
    "fix": "해결: {step}",
    "skipped": "(건너뜀) {message}",
    "attempts": "{attempts}번째 시도에서 통과했습니다: {reason}",
    "attempts.failed": "{attempts}번 시도했지만 통과하지 못했습니다: {reason}",
    "failed_cases": "실패한 케이스",
    "stopped.serverGone": "중단: 서버가 사라져 실행을 멈췄습니다. ({why})",
    "stopped.budget": "중단: 실행 시간이 끝나 실행을 멈췄습니다. ({why})",
    "stopped.setupFailed": "중단: 준비 케이스가 통과하지 않아 실행을 멈췄습니다. ({why})",
    "stopped.interrupted": "중단: 사용자가 실행을 중단했습니다. ({why})",
    "stopped.case": "{stopped} 마지막 케이스 '{case}'",
    "summary.passed": "{count} passed",
    "summary.failed": "{count} failed",
    "summary.timedOut": "{count} timed out",
    "summary.operationFailed": "{count} without a result",
    "summary.notRun": "{count} not run",
    "summary": "{counts}  ({total} total)",
    "rejections.one": "거절을 기대한 케이스 1건은 거절 근거를 확인하지 못했습니다.",
    "rejections.many": "거절을 기대한 케이스 {count}건은 거절 근거를 확인하지 못했습니다.",
    "rejections.why": (
        "서버가 거절한 것인지 다른 이유로 실패한 것인지 이 도구는 판단하지 못합니다."
    ),
    "rejections.next": "확인: 해당 케이스의 응답을 확인하세요: {cases}",
    "approval.current": "명세: 승인 시점과 동일 ({computed})",
    "approval.none": "명세: 승인 지문이 없습니다 (미고정)",
    "approval.none.next": "bundlegate suite approve 로 승인 지문을 기록하세요.",
    "approval.drifted": "명세: 승인 시점 이후 변경됨",
    "approval.drifted.prints": "승인 {recorded}   현재 {computed}",
    "approval.drifted.next": (
        "실패 원인에서 명세 변경을 배제할 수 없습니다. 명세 diff 를 먼저 확인하세요."
    ),
    "approval.server_defect": (
        "참고: 승인 시점에 서버 결함으로 표시된 케이스입니다. 서버가 아직 고쳐지지 않았습니다."
    ),
    "findings": "실패한 케이스의 입력 계약 대조",
    "findings.total": "전체 {total}건 중 {listed}건을 표시합니다",
    "finding.TOOL_NOT_DECLARED": "서버가 선언하지 않은 툴입니다: {actual}",
    "finding.SCHEMA_NOT_ANALYZABLE": (
        "{actual} 의 입력 스키마를 해석하지 못해({reason}) 이 툴의 입력 검사를 건너뜁니다"
    ),
    "finding.REQUIRED_MISSING": "필수 필드 {expected} 가 입력에 없습니다",
    "finding.UNDECLARED_FIELD": "{actual} 는 서버가 선언하지 않은 필드입니다",
    "finding.TYPE_MISMATCH": "{path} 의 타입이 다릅니다. 서버 선언: {expected}, 명세: {actual}",
    "finding.ENUM_MISMATCH": "{path} 값 {actual} 는 선언된 값이 아닙니다. 허용: {expected}",
    "finding.RANGE_MISMATCH": (
        "{path} 값 {actual} 이 선언된 범위를 벗어납니다. 서버 선언: {expected}"
    ),
    "finding.REJECTION_WITHOUT_VIOLATION": (
        "거절을 기대하지만 입력이 서버 선언을 어기지 않습니다. 서버가 선언 밖 제약으로 거절한다면 "
        "그대로 두고, 아니라면 입력을 확인하세요"
    ),
    "finding.suggestion": "{message}. 비슷한 이름: {suggestion}",
    "finding.blocking": "차단",
    "finding.advisory": "참고",
    "coverage": "계약 축 커버리지: {total}개 중 {covered}개 검증 ({percent})",
    "coverage.nothing": "계약 축 커버리지: 읽을 수 있는 선언이 없습니다",
    "coverage.tool": "{tool}  {covered}/{total}",
    "coverage.tool.unreadable": "{tool}  제외: 입력 스키마를 해석하지 못했습니다 ({why})",
    "coverage.missing": "미검증: {axes}",
    "coverage.unread": "해석하지 못해 제외한 필드: {fields}",
    "determinism.deterministic": "결정론성: 두 실행의 결과가 같습니다 ({compared}건)",
    "determinism.consistentWithoutReset": (
        "결정론성: 두 실행의 결과가 같습니다 ({compared}건). 실행 사이에 서버 상태를 복원하지는 "
        "않았습니다"
    ),
    "determinism.nondeterministic": "결정론성: {compared}건 중 {count}건의 결과가 다릅니다",
    "determinism.notCompared": "결정론성: 비교하지 못했습니다: {why}",
    "determinism.cut_short": "두 실행이 모두 진행된 데까지만 비교했습니다: {why}",
    "determinism.skipped": "실행되지 않은 케이스 {skipped}건은 비교하지 않았습니다",
    "determinism.status": "판정이 다릅니다: 1회차 {first}, 2회차 {second}",
    "determinism.where": "다른 지점: {path}",
    "determinism.inside": "text 안 JSON의 다른 지점: {path}",
    "determinism.first": "1회차: {value}",
    "determinism.second": "2회차: {value}",
    "determinism.timestamp": (
        "시간 의존으로 보입니다. 이 값은 실행마다 바뀌므로 단언 기준이 될 수 없습니다."
    ),
    "determinism.randomId": (
        "실행마다 새로 발급되는 식별자로 보입니다. 이 값은 단언 기준이 될 수 없습니다."
    ),
    "determinism.numericDrift": "측정값 변동으로 보입니다. 이 값은 단언 기준이 될 수 없습니다.",
    "determinism.answer": "응답 유무",
    "determinism.root": "(루트)",
    "determinism.absent": "(없음)",
    "determinism.no_response": "(응답 없음)",
    "process": "서버 프로세스 진단",
    "process.exit": "종료 코드: {code}  시그널: {signal}",
    "process.stderr": "stderr ({extent}):",
    "process.stderr.whole": "전체",
    "process.stderr.last": "마지막 {shown}줄, 위로 {above}줄 더 있음",
    "process.noise": "stdout에 쓴 메시지가 아닌 줄:",
    "gate": "{name}: {message}",
}
