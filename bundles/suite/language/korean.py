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
    "violation.MINIMUM": "값이 범위를 벗어납니다. 기대: {expected} 이상, 실제: {actual}",
    "violation.MAXIMUM": "값이 범위를 벗어납니다. 기대: {expected} 이하, 실제: {actual}",
    "size.object": "(키 {size}개)",
    "size.array": "(원소 {size}개)",
    "none": "없음",
    "more": " 외 {more}개",
    "cut": "…(총 {characters}자)",
    "head.one": "{name}  (1 case)",
    "head.many": "{name}  ({total} cases)",
    "fix": "해결: {step}",
    "skipped": "(건너뜀) {message}",
    "attempts": "{attempts}번째 시도에서 통과했습니다: {reason}",
    "failed_cases": "실패한 케이스",
    "stopped": "중단: {why}",
    "stopped.at": "중단: {why} 마지막 케이스 '{case}'",
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
    "process": "서버 프로세스 진단",
    "process.exit": "종료 코드: {code}  시그널: {signal}",
    "process.none": "없음",
    "process.stderr.empty": "stderr: (비어 있음)",
    "process.stderr": "stderr ({extent}):",
    "process.stderr.whole": "전체",
    "process.stderr.last": "마지막 {shown}줄, 위로 {above}줄 더 있음",
    "process.stderr.cut": "앞부분이 수집 상한으로 잘렸습니다",
}
